"""Padding of heads in decomposed attention to full tiles, by zeros in weights."""

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TILE
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.projected_columns import ProjectedColumns
from ttstack.passes.ttir.queries.fill import fill


@rewrite(
    "pad-heads",
    stage=Stage.WEIGHTS,
    after={
        "split-sliced-matmul": "queries, keys and values then have separate weights to pad",
        "fold-scale-into-weights": "a factor after a projection would block the padding of its weights",
    },
    before={"fold-padding-into-weights": "it moves the padding into weights"},
)
def pad_heads(op: views.Matmul) -> ir.Value | None:
    """`matmul(q, k)` = `matmul(pad(q), pad(k))` and `matmul(p, v)` = `slice(matmul(p, pad(v)))` for heads of attention.

    It applies to heads from projections with constant weights, whose width is not a multiple of a tile. The library's
    ops split and concatenate heads of full tiles; a reshape moves other heads row by row.
    """
    matmul = op.described
    if not op.result_type.dtype.is_float or matmul.b.rank < 3:
        return None
    inner, columns = matmul.mnk[2], matmul.mnk[1]
    dims = (-2 if matmul.transpose_a else -1, -1 if matmul.transpose_b else -2)
    if inner % TILE and all(map(_are_heads, (op.a, op.b), dims)):
        a, b = (_pad(value, dim) for value, dim in zip((op.a, op.b), dims, strict=True))
        return ttir.matmul(a, b, **op.attributes)
    if columns % TILE and _are_heads(op.b, -3 - dims[1]):
        wide = ttir.matmul(op.a, _pad(op.b, -3 - dims[1]), **op.attributes)
        return slice_along(wide, op.result_type.rank - 1, 0, columns)
    return None


def _are_heads(value: ir.Value, dim: int) -> bool:
    """Return True if a dimension has one of several heads of at least a tile of tokens."""
    columns = ProjectedColumns.of(value, dim)
    return columns is not None and columns.heads > 1 and columns.matmul.results[0].size // columns.matmul.mnk[1] >= TILE


def _pad(value: ir.Value, dim: int) -> ir.Value:
    """Append zeros along a dimension, counted from the end, up to full tiles."""
    extent = read_type(value.type).shape[dim]
    return fill(value, dim, extent + -extent % TILE)
