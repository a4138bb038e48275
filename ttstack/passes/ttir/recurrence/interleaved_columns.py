"""Two tensors of one type interleaved in the columns of one: alternating blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.dialects.base import create, definition_of, operands_by_place
from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.build import reshape_to, slice_as
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.shape import Concat
from ttstack.ops.shapes import axis
from ttstack.ops.types import TensorType
from ttstack.passes.ttir.queries.producers import scalar


def works_in_lanes(op: Op) -> bool:
    """Return True if `InterleavedColumns.make` can compute the op on two interleaved tensors at once."""
    if len(op.results) != 1 or not op.results[0].shape or 0 in op.results[0].shape:
        return False
    columns, rank = op.results[0].shape[-1], op.results[0].rank
    if isinstance(op, Matmul):
        return op.b.rank == 2 and op.a.rank > 1 and op.adds_row and not op.transpose_a
    if isinstance(op, SliceStatic):
        return op.counts_up
    if isinstance(op, Concat):
        return axis(op.dim, rank) != rank - 1
    if isinstance(op, Permutation):
        return op.order[-1] == rank - 1
    return isinstance(op, Eltwise) or (type(op).keeps_order and op.operands[0].shape[-1:] == (columns,))


def block_columns(op: Op) -> Iterator[int]:
    """Yield numbers of columns that blocks must divide, for an op on interleaved columns."""
    yield op.results[0].shape[-1]
    if isinstance(op, Matmul):
        yield op.a.shape[-1]
    elif isinstance(op, SliceStatic):
        yield from (op.input.shape[-1], op.begins[-1])


@dataclass(frozen=True)
class InterleavedColumns:
    """Alternating blocks of columns of two tensors."""

    block: int

    def join(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """Interleave both tensors."""
        if (number := scalar(a)) is not None and number == scalar(b):
            wide = _twice_as_wide(read_type(a.type))
            return ttir.constant(result=wide, value=elements_attribute(np.full(wide.shape, number), wide))
        cuts = [(value, cut) for cut in self._cuts(a) for value in (a, b)]
        return ttir.concat(*[slice_as(value, cut) for value, cut in cuts], dim=read_type(a.type).rank - 1)

    def lane(self, both: ir.Value, index: int) -> ir.Value:
        """Return the first or the second tensor."""
        parts = [part for i, part in enumerate(self._cuts(both)) if i % 2 == index]
        slices = [slice_as(both, part) for part in parts]
        return slices[0] if len(slices) == 1 else ttir.concat(*slices, dim=read_type(both.type).rank - 1)

    def make(self, op: ir.Operation, operands: Sequence[ir.Value]) -> ir.Value:
        """Build the op on interleaved operands."""
        described = definition_of(op)
        wide = _twice_as_wide(described.results[0])
        if type(described).keeps_order:
            return reshape_to(operands[0], wide.shape)
        attributes = described.attributes() | (
            _columns_doubled(described) if isinstance(described, SliceStatic) else {}
        )
        remaining = iter(operands)
        arguments = [v and next(remaining) for v in operands_by_place(type(described), op)]
        declared = [wide] if described.result_fields() else []
        return create("ttir", described.mnemonic, arguments, attributes, results=declared).results[0]

    def _cuts(self, value: ir.Value) -> Iterator[SliceStatic]:
        t = read_type(value.type)
        lead, step = (0,) * (t.rank - 1), (1,) * t.rank
        for begin in range(0, t.shape[-1], self.block):
            ends = (*t.shape[:-1], begin + self.block)
            yield SliceStatic(input=t, begins=(*lead, begin), ends=ends, step=step)


def _twice_as_wide(t: TensorType) -> TensorType:
    return t.with_shape((*t.shape[:-1], 2 * t.shape[-1]))


def on_diagonal(a: ir.Value, b: ir.Value, blocks: Sequence[int]) -> ir.Value:
    """Build a matrix of alternating blocks of two matrices on the diagonal, with zeros elsewhere."""
    counts = [n // block for n, block in zip(read_type(a.type).shape, blocks, strict=True)]
    apart = (counts[0], 1, blocks[0], counts[1], 1, blocks[1])
    filled = [
        ttir.pad(reshape_to(value, apart), padding=(*(0,) * 8, position, 1 - position, 0, 0), value=0.0)
        for position, value in enumerate((a, b))
    ]
    return reshape_to(ttir.concat(*filled, dim=1), [2 * n for n in read_type(a.type).shape])


def _columns_doubled(cut: SliceStatic) -> dict[str, Any]:
    begin, columns = cut.begins[-1], cut.results[0].shape[-1]
    return {"begins": (*cut.begins[:-1], 2 * begin), "ends": (*cut.ends[:-1], 2 * (begin + columns))}
