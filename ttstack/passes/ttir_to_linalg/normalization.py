"""Normalization of centred values; statistics accumulate in float64."""

from math import prod

from ttstack.ops.normalization import BatchNormInference, BatchNormTraining, GroupNorm, TrailingNorm
from ttstack.passes.ttir_to_linalg.reduction import mean_of
from ttstack.passes.ttir_to_linalg.scalars import Scalar, library
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise

LOWERINGS = LoweringTable()


@LOWERINGS("layer_norm", "rms_norm")
def _trailing(
    op: TrailingNorm,
    x: Dense,
    weight: Dense | None = None,
    bias: Dense | None = None,
    residual: Dense | None = None,
) -> Dense:
    total = x if residual is None else elementwise(lambda e, r: e + r, [x.wide(), residual.wide()], x.wide().dtype)
    rows = total.reshape(-1, prod(op.normalized_shape))
    centred = _centred(rows) if op.mnemonic == "layer_norm" else rows
    width = rows.shape[1]
    scale, offset = (None if v is None else v.reshape(1, width) for v in (weight, bias))
    return _normal(centred, op.epsilon, scale, offset).cast(x.dtype).reshape(*x.shape)


@LOWERINGS("group_norm")
def _group(
    op: GroupNorm,
    x: Dense,
    _mask: Dense | None = None,
    weight: Dense | None = None,
    bias: Dense | None = None,
) -> Dense:
    axis = op.channel_dim % x.rank
    order = [0, axis, *(d for d in range(1, x.rank) if d != axis)]
    first = x.transpose(order)
    rows = first.reshape(x.shape[0] * op.num_groups, -1)
    normal = _normal(_centred(rows), op.epsilon, None, None).reshape(*first.shape)
    along = [-1] + [1] * (x.rank - 2)
    scale, offset = (None if v is None else v.reshape(*along) for v in (weight, bias))
    back = [order.index(d) for d in range(x.rank)]
    return _affine(normal, scale, offset).transpose(back).cast(x.dtype)


@LOWERINGS("batch_norm_inference")
def _inference(op: BatchNormInference, x: Dense, scale: Dense, offset: Dense, mean: Dense, variance: Dense) -> Dense:
    return _by_statistics(x, scale, offset, mean, variance, op.epsilon, op.dimension).cast(op.results[0].dtype)


@LOWERINGS("batch_norm_training")
def _training(
    op: BatchNormTraining, x: Dense, scale: Dense, offset: Dense, running_mean: Dense, running_variance: Dense
) -> tuple[Dense, ...]:
    axis = op.dimension % x.rank
    others = [d for d in range(x.rank) if d != axis]
    along = [-1 if d == axis else 1 for d in range(x.rank)]
    wide = x.wide()
    mean = mean_of(wide, others).cast(wide.dtype)
    squares = elementwise(lambda e, m: (e - m) * (e - m), [wide, mean.reshape(*along)], wide.dtype)
    variance = mean_of(squares, others).cast(wide.dtype)
    normal = _by_statistics(x, scale, offset, mean, variance, op.epsilon, op.dimension)

    def moved(running: Dense, now: Dense) -> Dense:
        def body(old: Scalar, new: Scalar) -> Scalar:
            return old * (1 - op.momentum) + new * op.momentum

        return elementwise(body, [running, now.reshape(*running.shape)], running.dtype)

    return (
        normal.cast(op.results[0].dtype),
        moved(running_mean, mean).cast(op.results[1].dtype),
        moved(running_variance, variance).cast(op.results[2].dtype),
    )


def _by_statistics(
    x: Dense, scale: Dense, offset: Dense, mean: Dense, variance: Dense, epsilon: float, dimension: int
) -> Dense:
    along = [-1 if d == dimension % x.rank else 1 for d in range(x.rank)]
    wide = [v.reshape(*along).wide() for v in (scale, offset, mean, variance)]
    factor = elementwise(lambda s, v: s / library("sqrt", v + epsilon), [wide[0], wide[3]], wide[0].dtype)

    def body(e: Scalar, m: Scalar, f: Scalar, o: Scalar) -> Scalar:
        return (e - m) * f + o

    return elementwise(body, [x.wide(), wide[2], factor, wide[1]], wide[0].dtype)


def _centred(rows: Dense) -> Dense:
    wide = rows.wide()
    mean = mean_of(wide, [1], keep=True)
    return elementwise(lambda e, m: e - m, [wide, mean], wide.dtype)


def _normal(rows: Dense, epsilon: float, scale: Dense | None, offset: Dense | None) -> Dense:
    """Divide rows by the root of their mean square, then scale and shift."""
    wide = rows.wide()
    squares = elementwise(lambda e: e * e, [wide], wide.dtype)
    mean = mean_of(squares, [1], keep=True)
    factor = elementwise(lambda m: 1 / library("sqrt", m + epsilon), [mean], mean.dtype).cast(wide.dtype)
    return _affine(elementwise(lambda e, f: e * f, [wide, factor], wide.dtype), scale, offset)


def _affine(x: Dense, scale: Dense | None, offset: Dense | None) -> Dense:
    if scale is not None:
        x = elementwise(lambda e, s: e * s, [x, scale.wide()], x.dtype)
    return x if offset is None else elementwise(lambda e, o: e + o, [x, offset.wide()], x.dtype)
