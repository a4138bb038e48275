"""Casts of computed indices in tiles to the unsigned integers that lookups read."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.shape import Concat
from ttstack.ops.types import DType
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import is_known


@rewrite(
    "cast-lookup-indices",
    stage=Stage.TABLES,
    after={
        "embedding-bags-by-matmul": "it creates lookups",
        "merge-embedding-tables": "it needs indices of one type",
    },
)
def cast_lookup_indices(op: views.Embedding | views.EmbeddingBag) -> ir.Value | None:
    """`embedding(i, w)` = `embedding(typecast(i, ui32), w)` for signed indices that the program computes.

    The library's kernel reads unsigned indices in row-major layout. Computed indices are in tiles, where a cast is
    faster than in short rows. Inputs that are concatenated or added up are unsigned already.
    """
    t = op.described.input
    if t.dtype not in (DType.SI32, DType.I32, DType.I64) or is_known(op.input) or _comes_in_rows(op.input):
        return None
    indices = ttir.typecast(op.input, result=t.with_dtype(DType.UI32))
    if isinstance(op, views.EmbeddingBag):
        return ttir.embedding_bag(indices, op.weight, op.offsets, op.per_sample_weights, **op.attributes)
    return ttir.embedding(indices, op.weight, shape=op.shape)


def _comes_in_rows(value: ir.Value) -> bool:
    """Return True if a value is computed from arguments and constants by row-major ops."""
    op = defining_op(value)
    if op is None or is_known(value):
        return True
    if op.name in VIEWS:
        return _comes_in_rows(op.operands[0])
    described = definition_of(op)
    adds = isinstance(described, Eltwise) and described.mnemonic == "add"
    return (adds or isinstance(described, Concat)) and all(map(_comes_in_rows, op.operands))
