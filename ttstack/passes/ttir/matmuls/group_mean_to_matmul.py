"""Means of equal groups of columns, given to each column of the group, as matmuls with blocks of ones."""

import math

import numpy as np

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant, reshape_to, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType
from ttstack.passes.rewriting.candidates import Declined
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage

_MATRIX = 2
"""Dimensions of groups and of the elements of each."""
_MOST_COLUMNS = 1 << 11
"""Columns of the widest matrix: it takes 8 MiB in bf16."""


@rewrite("group-mean-to-matmul", if_faster=True, stage=Stage.MATMULS)
def group_mean_to_matmul(op: views.Reshape, context: Context) -> ir.Value | Declined | None:
    """`reshape(broadcast(mean(reshape(x, groups))))` = `(x @ blocks(1)) / size`, as in group norms of means by channel.

    Groups are rows of a few elements, which fill no tiles, and each of the four ops moves all of them. An element that
    is not finite makes all of its row NaN.
    """
    if (mean := _mean_of_groups(op)) is None:
        return None
    x, each = mean
    t = read_type(x.type)
    if t.shape[-1] > _MOST_COLUMNS:
        return Declined(f"the matrix would have more than {_MOST_COLUMNS} columns")
    assert context.prices is not None
    if not isinstance(t.dtype, DType) or context.prices.format_of(t) is DType.F32:
        return Declined("the multiplier truncates f32")
    return _multiply(x, t, each)


def _mean_of_groups(op: views.Reshape) -> tuple[ir.Value, int] | None:
    """Return rows, and the size of the groups of their columns whose means a value has in place of the columns."""
    broadcast = views.Broadcast.of(op.input)
    mean = None if broadcast is None else views.Mean.of(broadcast.input)
    groups = None if mean is None else views.Reshape.of(mean.input)
    if broadcast is None or mean is None or groups is None:
        return None
    x, apart = read_type(groups.input.type), read_type(mean.input.type)
    kept = x.shape == op.result_type.shape and broadcast.result_type.shape == apart.shape
    if not kept or apart.rank < _MATRIX or mean.described.dims != (apart.rank - 1,) or not mean.keep_dim:
        return None
    return (groups.input, apart.shape[-1]) if math.prod(apart.shape[-_MATRIX:]) == x.shape[-1] else None


def _multiply(x: ir.Value, t: TensorType, each: int) -> ir.Value:
    """Add up each group by a matmul; sizes that are powers of two are divided by in the matrix, which is exact."""
    columns = t.shape[-1]
    factor = 1 / each if each.bit_count() == 1 else 1.0
    blocks = np.kron(np.eye(columns // each), np.full((each, each), factor))
    sums = ttir.matmul(reshape_to(x, (t.size // columns, columns)), constant(blocks, TensorType(blocks.shape, t.dtype)))
    sums = reshape_to(sums, t.shape)
    return sums if factor * each == 1 else ttir.multiply(sums, scalar(1 / each, t))
