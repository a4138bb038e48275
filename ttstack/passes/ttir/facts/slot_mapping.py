"""Slots of tokens in paged caches: block and row in one number."""

from ttstack.dialects.base import attribute_values
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import elementwise
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import find_producer, with_scalar


def before_views(value: ir.Value) -> ir.Value:
    """Return the source of views of a value or a buffer."""
    while (op := defining_op(value, *VIEWS)) is not None:
        value = op.operands[0]
    return value


def replaces(scatter: ir.Operation) -> bool:
    """Return True if a scatter replaces full tokens."""
    attributes, (base, _, rows) = attribute_values(OPS["scatter"], scatter), scatter.operands
    alike = read_type(base.type).shape[1:] == read_type(rows.type).shape[1:]
    return alike and not attributes["dim"] and attributes.get("scatter_reduce_type", "invalid") == "invalid"


def slot_of_each(index: ir.Value) -> ir.Value | None:
    """Return a slot for each row, from an index that repeats it for all elements of the row."""
    wide = defining_op(index, "ttir.broadcast")
    lines = read_type(wide.operands[0].type).shape if wide is not None else ()
    if wide is None or any(n != 1 for n in lines[1:]) or lines[:1] != read_type(index.type).shape[:1]:
        return None
    return before_views(wide.operands[0])


def block_and_row(slots: ir.Value, length: int) -> tuple[ir.Value, ir.Value]:
    """Return block and row of each slot: the values that slots are computed from, or a division."""
    total = find_producer(slots, "add")
    for block, offset in (total.operands, reversed(total.operands)) if total is not None else ():
        scaled = find_producer(block, "multiply")
        product = scaled and with_scalar(scaled)
        if (
            product is not None
            and product[1] == length
            and read_type(product[0].type).shape == read_type(slots.type).shape
        ):
            return product[0], _within(offset)
    t = read_type(slots.type)
    block = elementwise("div", slots, length, result=t)
    return block, elementwise("subtract", slots, elementwise("multiply", block, length, result=t), result=t)


def _within(offset: ir.Value) -> ir.Value:
    """Return an offset without its bounds check, which replaces invalid offsets."""
    chosen = find_producer(offset, "where")
    both = find_producer(chosen and chosen.operands[0], "logical_and")
    if chosen is None or both is None:
        return offset
    bounds = [find_producer(v, "ge", "lt") for v in both.operands]
    same = all(bound is not None and bound.operands[0] == chosen.operands[1] for bound in bounds)
    return chosen.operands[1] if same else offset
