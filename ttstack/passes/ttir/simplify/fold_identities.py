"""Folding of ops that return their operand: `x * 1`, `x + 0`, `-(-x)`, inverse casts, empty pads and concats."""

from collections.abc import Sequence

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import Scatter, SliceStatic, steps
from ttstack.ops.pool import Upsample2d
from ttstack.ops.shape import Broadcast, Pad, Repeat
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType, ElementType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import Pattern, apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.value_bounds import SIGNIFICANT_BITS, bounds
from ttstack.passes.ttir.queries.producers import find_producer, scalar
from ttstack.passes.ttir.simplify.concat_updates import replace_part

_WIDER = {
    DType.F64: (DType.F32, DType.BF16, DType.F16),
    DType.F32: (DType.BF16, DType.F16),
}
"""For each real type, narrower types whose numbers it represents exactly."""


class FoldIdentities(
    Pass,
    name="fold-identities",
    optional=True,
    stage=Stage.FOLDED,
    after={"fold-constants": "bounds that are constants become attributes"},
):
    """Remove ops that return their operand, and merge casts that lose no bits.

    Selections whose condition follows from bounds become one of their operands. Clamp bounds from tensors of one number
    become attributes; rows that replace one part of a concat become that part.

    `x + 0.0` becomes `x`, as in XLA: only the sign of a zero may differ.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [(f"ttir.{name}", _kept(pattern)) for name, pattern in _PATTERNS])


def _kept(pattern: Pattern) -> Pattern:
    """Return the pattern restricted to results that no op writes to, as it would write to the operand."""
    return lambda op: None if is_overwritten(op.results[0]) else pattern(op)


def _same(op: ir.Operation, value: ir.Value) -> list[ir.Value] | None:
    """Return the value as replacement if it has the result's type."""
    return [value] if read_type(value.type) == read_type(op.results[0].type) else None


def _neutral(number: float, *, either: bool) -> Pattern:
    """Return a pattern that folds an op to its first operand if the second is a number; or to either operand."""

    def fold(op: ir.Operation) -> list[ir.Value] | None:
        a, b = op.operands
        for value, other in ((a, b), (b, a)) if either else ((a, b),):
            if scalar(other) == number and (results := _same(op, value)):
                return results
        return None

    return fold


def _decided(op: ir.Operation) -> list[ir.Value] | None:
    """Fold a selection whose condition is the same for all elements by their bounds, such as nonnegative indices."""
    condition, first, second = op.operands
    holds = _holds(condition)
    return None if holds is None else _same(op, first if holds else second)


def _holds(condition: ir.Value) -> bool | None:
    """Return the truth value of comparisons with numbers; None if elements may differ."""
    if (both := find_producer(condition, "logical_and")) is not None:
        parts = [_holds(operand) for operand in both.operands]
        return False if False in parts else True if all(parts) else None
    comparison = find_producer(condition, "lt", "ge")
    limit = None if comparison is None else scalar(comparison.operands[1])
    if comparison is None or limit is None or read_type(comparison.operands[0].type).dtype.is_float:
        return None
    low, high = bounds(comparison.operands[0])
    below = True if high < limit else False if low >= limit else None
    return below if below is None or comparison.name == "ttir.lt" else not below


def _bounds(op: ir.Operation) -> list[ir.Value] | None:
    """Turn bounds from tensors of one number into attributes."""
    value, low, high = op.operands
    least, most, t = scalar(low), scalar(high), read_type(op.results[0].type)
    if least is None or most is None or read_type(value.type) != t or not t.dtype.is_float:
        return None
    return [ttir.clamp_scalar(value, min=least, max=most)]


def _negation(op: ir.Operation) -> list[ir.Value] | None:
    inner = find_producer(op.operands[0], "neg")
    return None if inner is None else _same(op, inner.operands[0])


def _cast(op: ir.Operation) -> list[ir.Value] | None:
    if same := _same(op, op.operands[0]):
        return same
    inner, target = find_producer(op.operands[0], "typecast"), read_type(op.results[0].type)
    if inner is None:
        return None
    source = inner.operands[0]
    if not holds(read_type(inner.results[0].type).dtype, read_type(source.type).dtype):
        return None
    return _same(op, source) or [ttir.typecast(source, result=target)]


def holds(wide: ElementType, narrow: ElementType) -> bool:
    """Return True if every number of the narrow element type is a number of the wide one."""
    if not (isinstance(wide, DType) and isinstance(narrow, DType)):
        return False
    if wide == narrow or narrow is DType.I1:
        return True
    if narrow.is_float:
        return narrow in _WIDER.get(wide, ())
    if wide.is_float:
        return narrow.bits <= SIGNIFICANT_BITS.get(wide, 0)
    if narrow.is_unsigned == wide.is_unsigned:
        return narrow.bits <= wide.bits
    return narrow.is_unsigned and narrow.bits < wide.bits


def _slice(op: ir.Operation) -> list[ir.Value] | None:
    """Fold a slice of all of a tensor, and a slice within one part of a concat."""
    cut = definition_of(op)
    assert isinstance(cut, SliceStatic)
    if set(cut.step) <= {1} and (same := _same(op, op.operands[0])):
        return same
    joined = find_producer(op.operands[0], "concat")
    return None if joined is None else _part(cut, joined)


def _part(cut: SliceStatic, joined: ir.Operation) -> list[ir.Value] | None:
    dim = axis(ir.IntegerAttr(joined.attributes["dim"]).value, cut.input.rank)
    first, count = steps(cut.input.shape[dim], cut.begins[dim], cut.ends[dim], cut.step[dim], dim)
    low, high = sorted((first, first + (count - 1) * cut.step[dim]))
    for part in joined.operands:
        extent = read_type(part.type).shape[dim]
        if count and low >= 0 and high < extent and cut.step[dim] > 0:
            begins, ends = _with(cut.begins, dim, low), _with(cut.ends, dim, high + 1)
            return [ttir.slice_static(part, begins=begins, ends=ends, step=cut.step)]
        low, high = low - extent, high - extent
    return None


def _with(values: Sequence[int], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _joined(op: ir.Operation) -> list[ir.Value] | None:
    """Fold a concat of one tensor, and drop tensors without elements."""
    parts = [part for part in op.operands if read_type(part.type).size]
    if len(parts) == 1:
        return _same(op, parts[0])
    if not parts or len(parts) == len(op.operands):
        return None
    return [ttir.concat(*parts, dim=ir.IntegerAttr(op.attributes["dim"]).value)]


def _nothing(op: ir.Operation) -> list[ir.Value] | None:
    """Fold empty padding, single repetition, resizing to the same size, and empty scatters."""
    match definition_of(op):
        case Scatter() as put if not put.index.size:
            return _same(op, op.operands[0])
        case Pad() as pad if not any(pad.padding):
            return [op.operands[0]]
        case Broadcast() | Repeat() | Upsample2d():
            return _same(op, op.operands[0])
        case _:
            return None


_PATTERNS: tuple[tuple[str, Pattern], ...] = (
    ("add", _neutral(0, either=True)),
    ("subtract", _neutral(0, either=False)),
    ("multiply", _neutral(1, either=True)),
    ("div", _neutral(1, either=False)),
    ("pow", _neutral(1, either=False)),
    ("where", _decided),
    ("clamp_tensor", _bounds),
    ("neg", _negation),
    ("typecast", _cast),
    ("slice_static", _slice),
    ("scatter", replace_part),
    ("concat", _joined),
    *((name, _nothing) for name in ("scatter", "pad", "broadcast", "repeat", "upsample2d")),
)
