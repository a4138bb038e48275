"""Norms of few long rows, such as all channels and pixels of an image, as reductions over several dimensions."""

import math
from typing import NamedTuple

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.producers import find_producer


@rewrite(
    "layer-norm-by-reductions",
    if_faster=True,
    placed=True,
    stage=Stage.NORMS,
    after={"fuse-norms": "it would fuse the reductions into a norm again"},
)
def layer_norm_by_reductions(op: views.LayerNorm | views.Reshape) -> ir.Value | None:
    """`layer_norm(reshape(x))` = `(x - mean(x)) * rsqrt(variance(x) + epsilon)` over the dimensions of a row.

    A row can end within a dimension, such as in groups of channels, which is then split. The library normalizes a row
    on one core. Reductions and elementwise ops run on all cores, and no reshape is needed to merge dimensions.
    """
    norm = op if isinstance(op, views.LayerNorm) else views.LayerNorm.of(op.input)
    before = None if norm is None else find_producer(norm.input, "reshape")
    if norm is None or before is None or len(norm.normalized_shape) != 1 or norm.residual is not None:
        return None
    (width,) = norm.normalized_shape
    cut = _cut(read_type(before.operands[0].type).shape, width)
    if cut is None or sum(extent > 1 for extent in cut.rows) <= 1:
        return None
    x = reshape_to(before.operands[0], (*cut.batch, *cut.rows))
    dims = tuple(range(len(cut.batch), len(cut.batch) + len(cut.rows)))
    centred = ttir.subtract(x, ttir.mean(x, keep_dim=True, dim_arg=dims))
    variance = ttir.mean(ttir.multiply(centred, centred), keep_dim=True, dim_arg=dims)
    t = read_type(variance.type)
    shifted = ttir.add(variance, ttir.full(result=t, shape=t.shape, fill_value=norm.epsilon))
    normal = ttir.multiply(centred, ttir.rsqrt(shifted))
    if norm.weight is not None:
        normal = ttir.multiply(normal, reshape_to(norm.weight, cut.rows))
    if norm.bias is not None:
        normal = ttir.add(normal, reshape_to(norm.bias, cut.rows))
    return reshape_to(normal, op.result_type.shape)


class _SplitShape(NamedTuple):
    """Dimensions outside and inside of rows."""

    batch: tuple[int, ...]
    rows: tuple[int, ...]


def _cut(shape: tuple[int, ...], size: int) -> _SplitShape | None:
    """Split a shape so that its last dimensions have `size` elements; None if a dimension does not divide evenly."""
    batch, rows = [*shape], list[int]()
    while size > 1:
        if not batch:
            return None
        extent = batch.pop()
        taken = math.gcd(extent, size)
        rows.insert(0, taken)
        size //= taken
        if taken < extent:
            batch.append(extent // taken)
            break
    return _SplitShape((*batch,), (*rows,)) if size == 1 else None
