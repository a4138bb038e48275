"""Slices and rows of loops of known length: what iteration i reads at i, and what it writes there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ttstack.dialects.defining_op import defining_op
from ttstack.frontends.stablehlo.loop_parts import Count, LoopParts, Value, known_number
from ttstack.mlir import ir


@dataclass(frozen=True)
class ScannedRows:
    """The slices and rows of a loop that counts from 0 by 1, all in one direction."""

    reverse: bool = False
    slices: Mapping[ir.Value, ir.BlockArgument] = field(default_factory=dict[ir.Value, ir.BlockArgument])
    """For each slice that an iteration takes, of the size of one row, the argument of the body that it is cut from."""
    rows: Mapping[int, ir.Value] = field(default_factory=dict[int, ir.Value])
    """For each carried buffer that an iteration fills, by its position, the row that it writes."""
    writes: Sequence[ir.Value] = ()
    """The results of the ops that write rows."""


@dataclass(frozen=True)
class AffineIndex:
    """`factor * counter + offset`."""

    factor: int
    offset: int


def scan_of(loop: LoopParts, carried: Sequence[Value], count: Count) -> ScannedRows:
    """Return the slices and rows of a loop; none if its counter is not the number of the iteration.

    A slice is a whole row of a tensor with `count` rows that no iteration changes, at the counter or counted from the
    end; a row is written whole to a buffer with `count` rows that is used for nothing else, so that its values before
    the loop do not matter.
    """
    if not count.from_zero:
        return ScannedRows()
    found = [_scan(loop, carried, count, reverse=reverse) for reverse in (False, True)]
    return max(found, key=lambda scan: len(scan.slices) + len(scan.rows))


def _scan(loop: LoopParts, carried: Sequence[Value], counted: Count, *, reverse: bool) -> ScannedRows:
    count = counted.iterations
    wanted = AffineIndex(-1, count - 1) if reverse else AffineIndex(1, 0)
    indices = _Indices(loop, carried, counted.position)
    slices: dict[ir.Value, ir.BlockArgument] = {}
    rows: dict[int, ir.Value] = {}
    writes: list[ir.Value] = []
    for op in (op.operation for op in loop.body.operations):
        if op.name == "stablehlo.dynamic_slice" and indices.is_row(op, op.operands[0], 1, op.results[0], count, wanted):
            position = _position(loop, op.operands[0])
            if position is not None and position not in loop.varying:
                slices[op.results[0]] = loop.body.arguments[position]
        elif op.name == "stablehlo.dynamic_update_slice":
            position = _position(loop, op.operands[0])
            if (
                position in loop.varying
                and indices.is_row(op, op.operands[0], 2, op.operands[1], count, wanted)
                and _is_only_filled(loop, op, position)
            ):
                rows[position] = op.operands[1]
                writes.append(op.results[0])
    return ScannedRows(reverse, slices, rows, writes)


def _is_only_filled(loop: LoopParts, write: ir.Operation, position: int) -> bool:
    """Return True if a buffer is used by one write alone, whose result is its next value."""
    *_, last = (op.operation for op in loop.body.operations)
    uses = [use.owner.operation for use in write.results[0].uses]
    before = [use.owner.operation for use in loop.body.arguments[position].uses]
    asked = list(loop.condition.arguments[position].uses)
    return uses == [last] and last.operands[position] == write.results[0] and before == [write] and not asked


def _position(loop: LoopParts, value: ir.Value) -> int | None:
    return next((i for i, a in enumerate(loop.body.arguments) if a == value), None)


@dataclass(frozen=True)
class _Indices:
    loop: LoopParts
    carried: Sequence[Value]
    counter: int

    def is_row(
        self, op: ir.Operation, tensor: ir.Value, first: int, row: ir.Value, count: int, wanted: AffineIndex
    ) -> bool:
        """Return True if an op is at a whole row of a tensor; its indices are the operands from `first` on."""
        shape, size = (list(ir.RankedTensorType(v.type).shape) for v in (tensor, row))
        if not shape or shape[0] != count or size != [1, *shape[1:]]:
            return False
        found = [self.of(index) for index in list(op.operands)[first:]]
        return found[0] == wanted and all(index == AffineIndex(0, 0) for index in found[1:])

    def of(self, value: ir.Value) -> AffineIndex | None:
        """Return an integer as a multiple of the counter with an offset; None if it is not of that form."""
        if value == self.loop.body.arguments[self.counter]:
            return AffineIndex(1, 0)
        number = known_number(value, self.loop, self.loop.body, self.carried)
        if number is not None:
            return AffineIndex(0, number)
        op = defining_op(value)
        if op is None:
            return None
        parts = [self.of(operand) for operand in op.operands] if op.name in _SUMS else []
        if len(parts) == 2 and (a := parts[0]) is not None and (b := parts[1]) is not None:
            sign = _SUMS[op.name]
            return AffineIndex(a.factor + sign * b.factor, a.offset + sign * b.offset)
        if op.name == "stablehlo.convert":
            return self.of(op.operands[0])
        return self.of(op.operands[2]) if op.name == "stablehlo.select" and self._is_wrapped(op) else None

    def _is_wrapped(self, select: ir.Operation) -> bool:
        """Return True for an index that counts from the end if it is negative, which none is here."""
        compare = defining_op(select.operands[0])
        if compare is None or compare.name != "stablehlo.compare":
            return False
        below_zero = "LT" in str(compare.attributes["comparison_direction"])
        return (
            below_zero
            and compare.operands[0] == select.operands[2]
            and self.of(compare.operands[1]) == AffineIndex(0, 0)
        )


_SUMS = {"stablehlo.add": 1, "stablehlo.subtract": -1}
