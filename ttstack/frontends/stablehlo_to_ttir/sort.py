"""Sorts by one or several keys of a comparator."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ttstack.dialects.base import create
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import cast
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir import body
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = StablehloConversionTable()

_Expression: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class _Key:
    """A sort key: an expression of the first element's arguments, and the direction."""

    value: ir.Value
    descending: bool


@CONVERSIONS("sort", to="sort gather typecast")
def _sort(call: StablehloOp) -> Sequence[ir.Value]:
    """Sort by the last key first, stably, and gather operands by position."""
    block, dim = call.block(), call.integer("dimension")
    keys = _keys(body.region_results(block)[0], block)
    if keys is None:
        call.refuse(
            "orders by a comparator that is not a comparison of keys",
            "compare the same function of both elements, and other keys where those are equal",
        )
    if call.types[0].size == 0:
        return call.operands
    if call.types[0].rank == 0:
        return call.operands
    order: ir.Value | None = None
    ordered: dict[int, ir.Value] = {}
    for key in reversed(keys):
        given: dict[ir.Value, ir.Value] = {a: call.operands[i // 2] for i, a in enumerate(block.arguments)}
        (values,) = body.lift_values(call, given, [key.value])
        if order is not None:
            values = ttir.gather(values, order, dim=dim)
        found, positions = _sorted(values, dim, descending=key.descending)
        plain = len(keys) == 1 and key.value in list(block.arguments)
        ordered = {ir.BlockArgument(key.value).arg_number // 2: found} if plain else {}
        order = positions if order is None else ttir.gather(order, positions, dim=dim)
    assert order is not None
    return [ordered[i] if i in ordered else _gather(call, i, order, dim) for i in range(len(call.operands))]


def _sorted(values: ir.Value, dim: int, *, descending: bool) -> Sequence[ir.Value]:
    t = read_type(values.type)
    attributes = {"dim": dim, "descending": descending, "stable": True}
    return create("ttir", "sort", [values], attributes, results=[t, t.with_dtype(DType.I32)]).results


def _gather(call: StablehloOp, i: int, order: ir.Value, dim: int) -> ir.Value:
    """Return operand `i` in sorted order; the order itself if the operand is the index."""
    if body.counts(call.tensor(i), dim):
        return cast(order, call.types[i].dtype)
    return ttir.gather(call.tensor(i), order, dim=dim)


def _keys(value: ir.Value, block: ir.Block) -> list[_Key] | None:
    """Return the keys of a comparator, most important first; None if it is not recognized."""
    owner = defining_op(value)
    if owner is None:
        return None
    match owner.name:
        case "stablehlo.compare":
            key = _key(owner, block)
            return None if key is None else [key]
        case "stablehlo.select":
            return _lexicographic(owner.operands[0], owner.operands[2], owner.operands[1], block)
        case "stablehlo.or":
            for less, rest in (owner.operands, reversed(list(owner.operands))):
                if (both := defining_op(rest, "stablehlo.and")) is None:
                    continue
                for equal, other in (both.operands, reversed(list(both.operands))):
                    if (found := _lexicographic(equal, less, other, block)) is not None:
                        return found
    return None


def _lexicographic(equal: ir.Value, less: ir.Value, other: ir.Value, block: ir.Block) -> list[_Key] | None:
    """Return the keys of `less`, and of `other` if `equal` states that the key is equal."""
    owner = defining_op(equal, "stablehlo.compare")
    first, rest = _keys(less, block), _keys(other, block)
    if first is None or rest is None or len(first) > 1 or owner is None:
        return None
    if "EQ" not in str(owner.attributes["comparison_direction"]):
        return None
    sides = {_expression(v, block, parity=None) for v in owner.operands}
    return [*first, *rest] if _expression(first[0].value, block, parity=None) in sides and len(sides) == 1 else None


def _key(compare: ir.Operation, block: ir.Block) -> _Key | None:
    """Return the compared key if both sides are the same function of the two elements."""
    direction = str(compare.attributes["comparison_direction"])
    if not any(word in direction for word in ("LT", "LE", "GT", "GE")):
        return None
    descending = "GT" in direction or "GE" in direction
    left, right = compare.operands
    for first, second, turned in ((left, right, False), (right, left, True)):
        x, y = _expression(first, block, parity=0), _expression(second, block, parity=1)
        if x is not None and x == y:
            return _Key(first, descending != turned)
    return None


def _expression(value: ir.Value, block: ir.Block, *, parity: int | None) -> _Expression | None:
    """Return a value as a tree over the sort's operands; None if it uses an argument of the other element."""
    owner = defining_op(value)
    if owner is None:
        at = ir.BlockArgument(value).arg_number
        return None if parity is not None and at % 2 != parity else ("operand", at // 2)
    inner = [_expression(v, block, parity=parity) for v in owner.operands]
    attributes = tuple(sorted((name, str(owner.attributes[name])) for name in owner.attributes))
    number = ir.OpResult(value).result_number
    return None if None in inner else (owner.name, attributes, number, *inner)
