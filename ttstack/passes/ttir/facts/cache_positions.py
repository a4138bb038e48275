"""Checks that cache positions are within the cache, as kernels must not read beyond it."""

from ttstack.dialects.base import attribute_values
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import find_producer, scalar


def is_within(position: ir.Value, length: int) -> bool:
    """Return True if a position is bounded by `length`, or was written to in a cache of at most that length."""
    return _is_bounded(position, length) or _is_written(position, length)


def _is_bounded(value: ir.Value, length: int) -> bool:
    while (same := defining_op(value, *_SAME)) is not None:
        value = same.operands[0]
    op = defining_op(value)
    match "" if op is None else op.name.removeprefix("ttir."), op:
        case "minimum", ir.Operation() as least:
            return any(_is_bounded(v, length) or _is_at_most(v, length - 1) for v in least.operands)
        case "remainder", ir.Operation() as remainder:
            return _is_at_most(remainder.operands[1], length)
        case "where", ir.Operation() as choice:
            return _is_modulo(choice, length) and _is_bounded(choice.operands[2], length)
        case "clamp_scalar", ir.Operation() as clamp:
            return attribute_values(OPS["clamp_scalar"], clamp)["max"] < length
        case _:
            return False


def _is_modulo(where: ir.Operation, length: int) -> bool:
    """Return True if `where` adds at most `length` to negative values, as for a non-negative remainder."""
    choice, moved, plain = where.operands
    below, added = find_producer(choice, "lt"), find_producer(moved, "add")
    if below is None or added is None or {below.operands[0], added.operands[0]} != {plain}:
        return False
    return _is_at_most(below.operands[1], 0) and _is_at_most(added.operands[1], length)


def _is_at_most(value: ir.Value, most: int) -> bool:
    number = scalar(value)
    return number is not None and number <= most


def _is_written(position: ir.Value, length: int) -> bool:
    todo, seen = [position], set[ir.Value]()
    while todo:
        value = todo.pop()
        seen.add(value)
        for use in value.uses:
            op = use.owner.operation
            if op.name in _WRITES and use.operand_number == _WRITES[op.name]:
                if read_type(op.operands[0].type).shape[2] <= length:
                    return True
            elif op.name in _SAME and op.results[0] not in seen:
                todo.append(op.results[0])
    return False


_SAME = frozenset({*VIEWS, "ttir.typecast", "ttir.broadcast"})
_WRITES = {"ttir.update_cache": 2, "ttir.paged_update_cache": 2}
"""Ops that write rows at positions, and the operand that holds the positions."""
