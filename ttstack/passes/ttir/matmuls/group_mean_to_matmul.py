"""Means and norms of equal groups of columns as matmuls with block matrices."""

import math
from typing import NamedTuple

import numpy as np

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import broadcast_to, constant, reshape_to, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType
from ttstack.passes.rewriting.candidates import Declined
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.movement.reshape_by_head_ops import reshape_by_head_ops

_MATRIX = 2
"""Rank of groups: groups and their elements."""
_MOST_COLUMNS = 1 << 11
"""Columns of the widest matrix, which takes 8 MiB in bf16."""


@rewrite(
    "group-mean-to-matmul",
    if_faster=True,
    then=[reshape_by_head_ops],
    stage=(Stage.NORMS, Stage.MATMULS),
    after={"fuse-norms": "norms must be recognized first"},
)
def group_mean_to_matmul(op: views.Reshape, context: Context) -> ir.Value | Declined | None:
    """Means and norms of equal groups of columns, `mean(x) = (x @ blocks(1)) / size` for each column.

    It matches `reshape(broadcast(mean(reshape(x, groups))))`, as in group norms of means by channel, and
    `reshape(layer_norm(reshape(x, groups)))`, as in norms of heads. Groups are rows of a few elements, which do not
    fill tiles, and each of the ops moves all of them. A non-finite element makes its whole row NaN.
    """
    if (groups := _mean_of_groups(op) or _norm_of_groups(op)) is None:
        return None
    t = read_type(groups.x.type)
    if t.shape[-1] > _MOST_COLUMNS:
        return Declined(f"the matrix would have more than {_MOST_COLUMNS} columns")
    assert context.prices is not None
    if not isinstance(t.dtype, DType) or context.prices.format_of(t) is DType.F32:
        return Declined("the multiplier truncates f32")
    return _mean(groups.x, groups.each) if groups.norm is None else _normalize(groups.x, groups.each, groups.norm)


class _Groups(NamedTuple):
    """Rows, the size of the groups of their columns, and the norm of each group; None for a mean."""

    x: ir.Value
    each: int
    norm: views.LayerNorm | None = None


def _norm_of_groups(op: views.Reshape) -> _Groups | None:
    """Return the rows and the norm of a value whose groups of columns are normalized."""
    norm = views.LayerNorm.of(op.input)
    groups = None if norm is None else views.Reshape.of(norm.input)
    if norm is None or groups is None or norm.residual is not None or len(norm.normalized_shape) != 1:
        return None
    return _split(groups, op, norm.normalized_shape[0], norm)


def _mean_of_groups(op: views.Reshape) -> _Groups | None:
    """Return the rows of a value that has the mean of its group in each column."""
    broadcast = views.Broadcast.of(op.input)
    mean = None if broadcast is None else views.Mean.of(broadcast.input)
    groups = None if mean is None else views.Reshape.of(mean.input)
    if broadcast is None or mean is None or groups is None:
        return None
    apart = read_type(mean.input.type)
    if broadcast.result_type.shape != apart.shape or mean.described.dims != (apart.rank - 1,) or not mean.keep_dim:
        return None
    return _split(groups, op, apart.shape[-1])


def _split(
    groups: views.Reshape, joined: views.Reshape, each: int, norm: views.LayerNorm | None = None
) -> _Groups | None:
    """Return the groups if one reshape splits the last dimension into groups of this size and the other merges them."""
    x, apart = read_type(groups.input.type), groups.result_type
    if x.shape != joined.result_type.shape or apart.rank < _MATRIX or math.prod(apart.shape[-_MATRIX:]) != x.shape[-1]:
        return None
    return _Groups(groups.input, each, norm) if apart.shape[-1] == each else None


def _normalize(x: ir.Value, each: int, norm: views.LayerNorm) -> ir.Value:
    """Normalize each group of columns, with means by matmul."""
    t = read_type(x.type)
    count = t.shape[-1] // each
    centred = ttir.subtract(x, _mean(x, each))
    variance = _mean(ttir.multiply(centred, centred), each)
    normal = ttir.multiply(centred, ttir.rsqrt(ttir.add(variance, scalar(norm.epsilon, t))))
    if norm.weight is not None:
        normal = ttir.multiply(normal, _tile(norm.weight, count))
    return normal if norm.bias is None else ttir.add(normal, _tile(norm.bias, count))


def _tile(of_group: ir.Value, count: int) -> ir.Value:
    """Repeat the numbers of a group for `count` groups."""
    (each,) = read_type(of_group.type).shape
    return reshape_to(broadcast_to(reshape_to(of_group, (1, each)), (count, each)), (count * each,))


def _mean(x: ir.Value, each: int) -> ir.Value:
    """Return the mean of each column's group by a matmul.

    If the size is a power of two, the matrix includes the division, which is exact.
    """
    t = read_type(x.type)
    columns = t.shape[-1]
    factor = 1 / each if each.bit_count() == 1 else 1.0
    blocks = np.kron(np.eye(columns // each), np.full((each, each), factor))
    sums = ttir.matmul(reshape_to(x, (t.size // columns, columns)), constant(blocks, TensorType(blocks.shape, t.dtype)))
    sums = reshape_to(sums, t.shape)
    return sums if factor * each == 1 else ttir.multiply(sums, scalar(1 / each, t))
