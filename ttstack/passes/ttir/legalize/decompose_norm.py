"""Decomposition of norms without a kernel."""

import math

from ttstack.device.group_norm import has_form
from ttstack.dialects.base import attribute_values, definition_of, operands_by_place
from ttstack.dialects.ttir.build import broadcast_to, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.normalization import BatchNorm, BatchNormInference, BatchNormTraining, GroupNorm, TrailingNorm
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import Pattern, apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known


class DecomposeNorms(Pass, name="decompose-norms", stage=Stage.NORMS):
    """Decompose norms without a kernel: over several trailing dimensions, of batches other than NCHW, of groups.

    Group norms that `select-group-norm-kernel` converted to the library's form are unchanged.

    Batch norms in inference become a multiplication and an addition, with factors computed at compile time.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every such norm."""
        apply_patterns(module, _NORMS)


def _trailing(op: ir.Operation) -> list[ir.Value] | None:
    """Merge the last dimensions into one."""
    norm = definition_of(op)
    assert isinstance(norm, TrailingNorm)
    if len(norm.normalized_shape) == 1:
        return None
    width = math.prod(norm.normalized_shape)
    flat = (*norm.input.shape[: -len(norm.normalized_shape)], width)
    shapes = dict.fromkeys(type(norm).operand_specs(), flat) | dict.fromkeys(("weight", "bias"), (width,))
    pairs = zip(operands_by_place(type(norm), op), shapes.values(), strict=False)
    operands = [v and reshape_to(v, shape) for v, shape in pairs]
    result = ttir.build(norm.mnemonic, *operands, normalized_shape=(width,), epsilon=norm.epsilon)
    return [reshape_to(result, norm.input.shape)]


def _inference(op: ir.Operation) -> list[ir.Value] | None:
    norm = definition_of(op)
    assert isinstance(norm, BatchNormInference)
    x, *parameters = op.operands
    if norm.operand.rank == 4 and norm.dimension == 1 and not all(map(is_known, parameters)):
        return None
    scale, offset, mean, variance = (_along(v, norm) for v in parameters)
    factor = _factor(scale, variance, norm.epsilon)
    return [ttir.add(ttir.multiply(x, factor), ttir.subtract(offset, ttir.multiply(mean, factor)))]


def _training(op: ir.Operation) -> list[ir.Value]:
    """Normalize by the batch's own statistics, and update the running ones."""
    norm = definition_of(op)
    assert isinstance(norm, BatchNormTraining)
    x, scale, offset, *running = op.operands
    others = tuple(d for d in range(norm.operand.rank) if d != norm.dimension % norm.operand.rank)
    mean = ttir.mean(x, keep_dim=True, dim_arg=others)
    centred = ttir.subtract(x, mean)
    variance = ttir.mean(ttir.multiply(centred, centred), keep_dim=True, dim_arg=others)
    factor = _factor(_along(scale, norm), variance, norm.epsilon)
    normal = ttir.add(ttir.multiply(centred, factor), _along(offset, norm))
    moved = [_moved(old, new, norm.momentum) for old, new in zip(running, (mean, variance), strict=True)]
    return [normal, *moved]


def _without_mask(op: ir.Operation) -> list[ir.Value] | None:
    x, mask, *affine = operands_by_place(GroupNorm, op)
    return (
        None if mask is None else [ttir.build(GroupNorm.mnemonic, x, None, *affine, **attribute_values(GroupNorm, op))]
    )


def _groups(op: ir.Operation) -> list[ir.Value] | None:
    """Compute means by channel and by group; then apply a scale and a shift for each channel."""
    norm, operands = definition_of(op), operands_by_place(GroupNorm, op)
    assert isinstance(norm, GroupNorm)
    if has_form(norm):
        return None
    x, channel_dim = op.operands[0], norm.channel_dim % norm.input.rank
    shape = tuple(extent if d == channel_dim else 1 for d, extent in enumerate(norm.input.shape))
    scale, shift = (None if v is None else reshape_to(v, shape) for v in operands[2:4])
    centred = ttir.subtract(x, _mean_of_groups(x, norm, channel_dim))
    variance = _mean_of_groups(ttir.multiply(centred, centred), norm, channel_dim)
    factor = ttir.rsqrt(ttir.add(variance, _filled(variance, norm.epsilon)))
    factor = factor if scale is None else ttir.multiply(factor, scale)
    normal = ttir.multiply(centred, factor)
    return [normal if shift is None else ttir.add(normal, shift)]


def _mean_of_groups(x: ir.Value, norm: GroupNorm, channel_dim: int) -> ir.Value:
    """Return the mean of each channel's group, for each sample."""
    inside = [d for d in range(1, norm.input.rank) if d != channel_dim]
    longer = [d for d in inside if norm.input.shape[d] != 1]  # of one dimension, kernels divide tall matrices
    means = ttir.mean(x, keep_dim=True, dim_arg=tuple(longer or inside))
    samples, groups, each = norm.input.shape[0], norm.num_groups, norm.input.shape[channel_dim] // norm.num_groups
    if each == 1:
        return means
    by_group = ttir.mean(reshape_to(means, (samples, groups, each)), keep_dim=True, dim_arg=(2,))
    return reshape_to(broadcast_to(by_group, (samples, groups, each)), read_type(means.type).shape)


def _factor(scale: ir.Value, variance: ir.Value, epsilon: float) -> ir.Value:
    """Return `scale / sqrt(variance + epsilon)`."""
    return ttir.multiply(scale, ttir.rsqrt(ttir.add(variance, _filled(variance, epsilon))))


def _moved(old: ir.Value, new: ir.Value, momentum: float) -> ir.Value:
    flat = reshape_to(new, read_type(old.type).shape)
    kept = ttir.multiply(old, _filled(old, 1 - momentum))
    return ttir.add(kept, ttir.multiply(flat, _filled(flat, momentum)))


def _along(value: ir.Value, norm: BatchNorm) -> ir.Value:
    """Reshape a value per channel to the dimension of channels."""
    channel_dim, shape = norm.dimension % norm.operand.rank, norm.operand.shape
    return reshape_to(value, tuple(extent if d == channel_dim else 1 for d, extent in enumerate(shape)))


def _filled(like: ir.Value, value: float) -> ir.Value:
    t = read_type(like.type)
    return ttir.full(result=t, shape=t.shape, fill_value=value)


_NORMS: tuple[tuple[str, Pattern], ...] = (
    ("ttir.layer_norm", _trailing),
    ("ttir.rms_norm", _trailing),
    ("ttir.batch_norm_inference", _inference),
    ("ttir.batch_norm_training", _training),
    ("ttir.group_norm", _groups),
)

MASKS: tuple[tuple[str, Pattern], ...] = (("ttir.group_norm", _without_mask),)
"""Patterns that remove masks of group norms, which change no value."""
