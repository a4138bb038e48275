"""Lookups: rows of a table picked by index."""

from ttstack.mlir import ir
from ttstack.ops.embedding import Embedding
from ttstack.passes.ttir_to_linalg.checks import inside
from ttstack.passes.ttir_to_linalg.movement import index_of
from ttstack.passes.ttir_to_linalg.scalars import Scalar
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, generate

LOWERINGS = LoweringTable()


@LOWERINGS("embedding")
def _embedding(op: Embedding, indices: Dense, weight: Dense) -> Dense:
    table = weight.reshape(-1, weight.shape[-1])
    return rows(table, inside(indices.reshape(-1), table.shape[0])).reshape(*op.results[0].shape)


def rows(table: Dense, indices: Dense) -> Dense:
    """The rows of a matrix that indices name, all of which are inside."""

    def body(at: list[ir.Value]) -> Scalar:
        return table.at([index_of(indices.at([at[0]])), at[1]])

    return generate(body, (indices.size, table.shape[1]), table.dtype)
