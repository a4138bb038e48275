"""Columns of a matmul with constant weights that are a dimension of a value, such as the elements of heads."""

from dataclasses import dataclass

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap, Part
from ttstack.ops.matmul import Matmul
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.fill import fill
from ttstack.passes.ttir.queries.movement_chain import rearrange, ways
from ttstack.passes.ttir.queries.producers import is_shared


@dataclass(frozen=True)
class ProjectedColumns:
    """The innermost part of a matmul's columns, as one dimension of a value after moves."""

    producer: views.Matmul | views.Linear
    order: IndexMap
    """The moves between the matmul and the value."""
    part: Part
    """The columns."""

    @staticmethod
    def of(value: ir.Value, dim: int) -> "ProjectedColumns | None":
        """Find the columns of a dimension of a value; None if the matmul or its moves have other uses."""
        for moves, order in ways(value):
            source = moves[0].operands[0]
            producer = views.Matmul.of(source) or views.Linear.of(source)
            if producer is None or any(is_shared(v) for v in (source, *(move.results[0] for move in moves))):
                continue
            matmul, columns = producer.described, order.dims[dim]
            last = matmul.results[0].rank - 1
            if can_grow(producer) and not matmul.activation and len(columns) == 1 and columns[0][:2] == (last, 1):
                return ProjectedColumns(producer, order, columns[0])
        return None

    @property
    def matmul(self) -> Matmul:
        """The matmul."""
        return self.producer.described

    @property
    def heads(self) -> int:
        """The number of such parts in all columns."""
        return self.matmul.mnk[1] // self.part.extent

    def pad(self, width: int) -> ir.Value:
        """Build the value with columns padded with zeros to a width, from padded weights."""
        matmul, split = self.matmul, (self.heads, self.part.extent, 1)
        a, weight, *bias = self.producer.operation.operands
        padded = pad_part(weight, 0 if matmul.transpose_b else 1, split, width)
        rows = [pad_part(reshape_to(b, (matmul.mnk[1],)), 0, split, width) for b in bias]
        value = ttir.build(matmul.mnemonic, a, padded, *rows, **self.producer.attributes)
        return rearrange(value, self.order.resize(self.part, width))


def can_grow(op: views.Matmul | views.Linear) -> bool:
    """Return True for a matmul of rows with one constant matrix."""
    matmul = op.described
    is_matrix = matmul.b.rank == 2 and matmul.a.rank > 1 and not matmul.transpose_a and matmul.adds_row
    return is_matrix and all(is_known(v) for v in list(op.operation.operands)[1:])


def pad_part(value: ir.Value, axis: int, split: tuple[int, int, int], width: int) -> ir.Value:
    """Split an axis, and pad its middle part with zeros to a width."""
    shape = read_type(value.type).shape
    parts = reshape_to(value, (*shape[:axis], *split, *shape[axis + 1 :]))
    return reshape_to(fill(parts, axis + 1, width), (*shape[:axis], split[0] * width * split[2], *shape[axis + 1 :]))
