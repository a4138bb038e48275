"""Conversion of images from channels first to channels last, with all pixels in one dimension."""

import math
from collections.abc import Sequence
from typing import Any

from ttstack.dialects.base import attribute_values, create, definition_of, operands_by_place
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.conv import Conv1d, Convolution, ImageConvolution
from ttstack.ops.eltwise import Eltwise, EltwiseBinary, EltwiseUnary
from ttstack.ops.movement import Permutation
from ttstack.ops.normalization import BatchNormInference, GroupNorm
from ttstack.ops.pool import AvgPool2d, MaxPool2d, Pool
from ttstack.ops.reduction import Reduction, Softmax
from ttstack.ops.shape import Broadcast, Concat, Reshape
from ttstack.ops.shapes import broadcast
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import Pattern, apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.images import flat_pixels
from ttstack.passes.ttir.images.fold_padding import fold_padding
from ttstack.passes.ttir.images.fuse_group_norm import spelled_group_norm
from ttstack.passes.ttir.images.image_layout import Images, first

_FIRST = (0, 2, 3, 1)
"""The dimensions of batch, height, width and channels in [N, C, H, W]."""
_LAST = (0, 1, 2, 3)
"""The same in [N, H, W, C]."""
_SPATIAL = (2, 3)
"""The dimensions of height and width in [N, C, H, W]."""
_SPATIAL_LAST = (1, 2)
"""The same in [N, H, W, C]."""
_LENGTH_LAST = (0, 2, 1)
"""The dimensions of batch, length and channels in [N, C, L]."""


class ChannelsLast(Pass, name="channels-last", stage=Stage.IMAGES):
    """Run convolutions, pools and the ops between them in the layout [1, 1, N * H * W, C].

    With channels first, every row of an image is padded to tiles. Permutations remain only at inputs and outputs.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        kinds: dict[type[Op], Pattern] = {
            Conv1d: _convolution_of_lengths,
            ImageConvolution: _convolution,
            MaxPool2d: _pool,
            AvgPool2d: _pool,
            EltwiseUnary: _unary,
            EltwiseBinary: _binary,
            BatchNormInference: _batch_norm,
            GroupNorm: _group_norm,
            Concat: _concat,
            Reduction: _reduction,
            Softmax: _softmax,
            Broadcast: _broadcast,
            Reshape: spelled_group_norm,
            Eltwise: flat_pixels.elementwise,
        }
        named = {name: [p for kind, p in kinds.items() if issubclass(spec, kind)] for name, spec in OPS.items()}
        patterns = [(f"ttir.{name}", p) for name, applicable in named.items() for p in applicable]
        apply_patterns(module, [("ttir.conv2d", fold_padding), *patterns])


def _convolution(op: ir.Operation) -> list[ir.Value] | None:
    conv = definition_of(op)
    assert isinstance(conv, ImageConvolution)
    if conv.order not in (_FIRST, _LAST) or conv.flattened_compat_info is not None:
        return None
    (x, weight, *bias), comes_first = op.operands, conv.order == _FIRST
    images = Images.of(x) if comes_first else Images.last(x)
    bias = [reshape_to(b, (1, 1, 1, conv.out_channels)) for b in bias]
    attributes: dict[str, Any] = _without_dims(op, conv) | {"flattened_compat_info": images.sizes[:3]}
    result = ttir.build(conv.mnemonic, images.flat, weight, *bias, **attributes)
    if not comes_first:
        return [reshape_to(result, conv.results[0].shape)]
    return [first(result, (images.sizes[0], *(window.count for window in conv.windows)))]


def _convolution_of_lengths(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite a convolution along the length of [N, C, L] to one of [N, L, C]."""
    conv, (x, weight, *bias) = definition_of(op), op.operands
    assert isinstance(conv, Conv1d)
    if conv.order != _LENGTH_LAST:
        return None
    bias = [reshape_to(b, (1, 1, conv.out_channels)) for b in bias]
    result = ttir.build(conv.mnemonic, permute_dims(x, _LENGTH_LAST), weight, *bias, **_without_dims(op, conv))
    return [permute_dims(result, _LENGTH_LAST)]


def _without_dims(op: ir.Operation, conv: Convolution) -> dict[str, Any]:
    """Return the attributes of a convolution without its dimension numbers."""
    return {n: v for n, v in attribute_values(type(conv), op).items() if not n.endswith("_dim")}


def _pool(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite a pool to channels last, with pixels by rows."""
    pool = definition_of(op)
    assert isinstance(pool, Pool)
    if pool.flattened_compat_info is not None:
        return None
    attributes: dict[str, Any] = attribute_values(type(pool), op) | {"flattened_compat_info": pool.images().shape[:3]}
    return [
        reshape_to(ttir.build(pool.mnemonic, Images.last(op.operands[0]).flat, **attributes), pool.results[0].shape)
    ]


def _unary(op: ir.Operation) -> list[ir.Value] | None:
    if (images := Images.behind(op.operands[0])) is None:
        return None
    return _by_pixel(op, [images.flat], images.sizes[:3])


def _binary(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite binary ops on images of one size, or on images and a value per channel or per pixel."""
    result = read_type(op.results[0].type).shape
    layouts = [_of_pixels(value, result) for value in op.operands]
    if not any(images is not None and _channels_first(images.sizes) == result for images in layouts):
        return None
    shapes = [read_type(v.type).shape for v in op.operands]
    smaller = {
        i: (1,) * (4 - len(shape)) + shape
        for i, (shape, images) in enumerate(zip(shapes, layouts, strict=True))
        if images is None
    }
    if any(shape[2:] != (1, 1) or shape[1] not in (1, result[1]) for shape in smaller.values()):
        return None
    apart = any(shape[0] > 1 for shape in smaller.values())
    operands = [
        reshape_to(value, (smaller[i][0], 1, 1, smaller[i][1]))
        if images is None
        else images.apart
        if apart
        else images.flat
        for i, (value, images) in enumerate(zip(op.operands, layouts, strict=True))
    ]
    return _by_pixel(op, operands, (result[0], *result[2:]))


def _of_pixels(value: ir.Value, result: tuple[int, ...]) -> Images | None:
    """Return channels-last images with the pixels of a result, and its channels or one."""
    images = Images.behind(value)
    if images is None or images.sizes[:3] != (result[0], *result[2:]):
        return None
    return images if images.sizes[3] in (1, result[1]) else None


def _softmax(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite a softmax over the channels of each pixel."""
    softmax, images = definition_of(op), Images.behind(op.operands[0])
    assert isinstance(softmax, Softmax)
    if images is None or softmax.mask is not None or softmax.dimension % softmax.input.rank != 1:
        return None
    return _by_pixel(op, [images.flat], images.sizes[:3], dimension=3)


def _broadcast(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite a broadcast of one value per pixel to all channels."""
    broadcast, images = definition_of(op), Images.behind(op.operands[0])
    assert isinstance(broadcast, Broadcast)
    factors = broadcast.broadcast_dimensions
    channels = math.prod(factors)
    if images is None or factors != (1, channels, 1, 1):
        return None
    return [first(ttir.broadcast(images.flat, broadcast_dimensions=(1, 1, 1, channels)), images.sizes[:3])]


def _batch_norm(op: ir.Operation) -> list[ir.Value] | None:
    norm, images = definition_of(op), Images.behind(op.operands[0])
    assert isinstance(norm, BatchNormInference)
    if images is None or norm.dimension != 1:
        return None
    return _by_pixel(op, [images.flat, *list(op.operands)[1:]], images.sizes[:3], dimension=3)


def _group_norm(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite a group norm, with each sample's pixels in one dimension."""
    norm, images = definition_of(op), Images.behind(op.operands[0])
    assert isinstance(norm, GroupNorm)
    if images is None or norm.channel_dim != 1:
        return None
    _, *others = operands_by_place(GroupNorm, op)
    return _by_pixel(op, [images.apart, *others], images.sizes[:3], channel_dim=3)


def _concat(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite a concatenation of channels; images with channels first are converted if users need channels last."""
    concat, layouts = definition_of(op), [Images.behind(v) for v in op.operands]
    assert isinstance(concat, Concat)
    if not any(layouts) or concat.dim % 4 != 1 or not (all(layouts) or _goes_on_last(op)):
        return None
    images = [Images.of(v) for v in op.operands]
    return [first(ttir.concat(*[image.flat for image in images], dim=3), images[0].sizes[:3])]


def _goes_on_last(op: ir.Operation) -> bool:
    """Return True if an op that uses it needs channels last, or will."""
    readers = [definition_of(use.owner.operation) for use in op.results[0].uses if use.owner.name.startswith("ttir.")]
    return any(
        isinstance(r, ImageConvolution) or (isinstance(r, Permutation) and tuple(r.order) == _FIRST) for r in readers
    )


def _reduction(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite reductions of each channel over all pixels, or of each pixel over all channels."""
    reduction, find = definition_of(op), {_SPATIAL: Images.behind, _SPATIAL_LAST: Images.behind_pixels}
    assert isinstance(reduction, Reduction)
    if reduction.dims == (1,) and (images := Images.behind(op.operands[0])) is not None:
        *pixels, _ = images.sizes
        attributes = attribute_values(type(reduction), op) | {"keep_dim": True, "dim_arg": (3,)}
        declared = [t.with_shape((1, 1, math.prod(pixels), 1)) for t in reduction.results if reduction.result_fields()]
        column = create("ttir", reduction.mnemonic, [images.flat], attributes, results=declared).results[0]
        return [reshape_to(column, reduction.results[0].shape)]
    if reduction.dims not in find or type(reduction).infer is not Reduction.infer:
        return None
    if (images := find[reduction.dims](op.operands[0])) is None:
        return None
    batch, height, width, channels = images.sizes
    pixels = reshape_to(images.source, (batch, height * width, channels))
    reduced = ttir.build(reduction.mnemonic, pixels, keep_dim=True, dim_arg=(1,))
    return [reshape_to(reduced, reduction.results[0].shape)]


def _by_pixel(
    op: ir.Operation, operands: Sequence[ir.Value | None], pixels: Sequence[int], **changed: Any
) -> list[ir.Value]:
    """Build the op on channels-last operands, and return its result as images."""
    definition = definition_of(op)
    attributes = attribute_values(type(definition), op) | changed
    (dtype,) = {t.dtype for t in definition.results}
    shape = broadcast(*(read_type(v.type).shape for v in operands if v is not None and read_type(v.type).rank == 4))
    declared = [TensorType(shape, dtype)] if definition.result_fields() else []
    return [first(create("ttir", definition.mnemonic, operands, attributes, results=declared).results[0], pixels)]


def _channels_first(sizes: tuple[int, ...]) -> tuple[int, ...]:
    batch, height, width, channels = sizes
    return batch, channels, height, width
