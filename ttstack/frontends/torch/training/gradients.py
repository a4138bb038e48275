"""Gradients that PyTorch computes as a whole, in terms of ops that have conversions."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch._decomp import decomposition_table
from torch._ops import OpOverload

_aten = torch.ops.aten
_MEAN = 1
"""How PyTorch numbers the reduction to a mean; 0 is none."""
_IMAGE = 4
"""Dimensions of a batch of images."""


def hardshrink_backward(gradient: Tensor, x: Tensor, limit: float) -> Tensor:
    """As `aten.hardshrink_backward` and `aten.softshrink_backward`: values within the limit have none."""
    return torch.where((x >= -limit) & (x <= limit), 0, gradient)


def rows_of_a_pool(gradient: Tensor, x: Tensor, *windows_and_indices: Any) -> Tensor:
    """As `aten.max_pool3d_with_indices_backward` and its like: each gradient goes where the largest value was."""
    indices, dims = windows_and_indices[-1], 3 if len(windows_and_indices) > 1 else 2
    flat = x.new_zeros(x.shape).flatten(-dims).scatter_add(-1, indices.flatten(-dims), gradient.flatten(-dims))
    return flat.view(x.shape)


def convolution_backward(
    gradient: Tensor,
    x: Tensor,
    weight: Tensor,
    _bias: Sequence[int] | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    _output_padding: list[int],
    groups: int,
    wanted: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """As `aten.convolution_backward` of transposed convolutions and of volumes; others have a conversion.

    The gradient of a transposed convolution is a convolution, and its weight is that convolution's.
    """
    if not transposed and x.dim() <= _IMAGE:
        return NotImplemented
    none = [0] * len(stride)
    of_x = of_weight = of_bias = None
    if wanted[0]:
        extra = none if transposed else _overhang(gradient, x, weight, stride, padding, dilation)
        sizes = (stride, padding, dilation, not transposed, extra, groups)
        of_x = _aten.convolution(gradient, weight, None, *sizes)
    if wanted[1]:
        image, given = (gradient, x) if transposed else (x, gradient)
        of_weight = _of_weight(image, given, weight, stride, padding, dilation, groups)
    if wanted[2]:
        of_bias = gradient.sum([0, *range(2, gradient.dim())])
    return of_x, of_weight, of_bias


def _overhang(
    gradient: Tensor, x: Tensor, weight: Tensor, stride: list[int], padding: list[int], dilation: list[int]
) -> list[int]:
    """What the last windows leave of the operand at each side."""
    reached = (
        (count - 1) * step - 2 * pad + apart * (k - 1) + 1
        for count, step, pad, apart, k in zip(
            gradient.shape[2:], stride, padding, dilation, weight.shape[2:], strict=True
        )
    )
    return [size - end for size, end in zip(x.shape[2:], reached, strict=True)]


def _of_weight(
    x: Tensor, given: Tensor, weight: Tensor, stride: list[int], padding: list[int], dilation: list[int], groups: int
) -> Tensor:
    """The gradient of the weight of a convolution of `x`: of images by the op, of volumes one plane of it a time."""
    if x.dim() <= _IMAGE:
        none = [0] * len(stride)
        options = (None, stride, padding, dilation, False, none, groups, [False, True, False])
        return _aten.convolution_backward(given, x, weight, *options)[1]
    depth, plane = given.shape[2], list[Tensor]()
    padded = torch.nn.functional.pad(x, (0, 0, 0, 0, padding[0], padding[0]))
    images = given.transpose(1, 2).flatten(0, 1)
    for at in range(weight.shape[2]):
        first = at * dilation[0]
        seen = padded[:, :, first : first + (depth - 1) * stride[0] + 1 : stride[0]].transpose(1, 2).flatten(0, 1)
        plane.append(_of_weight(seen, images, weight[:, :, at], stride[1:], padding[1:], dilation[1:], groups))
    return torch.stack(plane, 2)


def embedding_dense_backward(
    gradient: Tensor, indices: Tensor, rows: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """As `aten.embedding_dense_backward` where gradients are divided by how often a row is picked."""
    if not scale_grad_by_freq:
        return NotImplemented
    flat = indices.flatten()
    often = (flat[:, None] == flat[None, :]).sum(1).view(*indices.shape, 1)
    return _aten.embedding_dense_backward(gradient / often, indices, rows, padding_idx, False)


def embedding_bag_backward(
    gradient: Tensor,
    indices: Tensor,
    offsets: Tensor,
    _offset2bag: Tensor,
    _bag_size: Tensor,
    _largest: Tensor,
    rows: int,
    scale_grad_by_freq: bool,
    mode: int,
    _sparse: bool,
    weights: Tensor | None,
    padding_idx: int = -1,
) -> Tensor:
    """As `aten._embedding_bag_backward` with a weight for each row; others have a conversion."""
    if weights is None or mode != 0 or scale_grad_by_freq:
        return NotImplemented
    of_rows = _bags(offsets, len(indices), gradient) * weights[:, None]
    return _aten.embedding_dense_backward(of_rows, indices, rows, padding_idx, False)


def per_sample_weights_backward(
    gradient: Tensor,
    table: Tensor,
    indices: Tensor,
    offsets: Tensor,
    _offset2bag: Tensor,
    _mode: int,
    padding: int = -1,
) -> Tensor:
    """As `aten._embedding_bag_per_sample_weights_backward`: rows times the gradients of their bags."""
    found = (torch.nn.functional.embedding(indices, table) * _bags(offsets, len(indices), gradient)).sum(1)
    return found if padding < 0 else torch.where(indices == padding, 0, found)


def _bags(offsets: Tensor, count: int, gradient: Tensor) -> Tensor:
    """The gradient of the bag that each index is in."""
    places = torch.arange(count, dtype=offsets.dtype)[:, None]
    begun = (places >= offsets[: len(gradient)]).to(gradient.dtype)
    after = torch.nn.functional.pad(begun[:, 1:], (0, 1))
    return (begun - after) @ gradient


def multi_margin_loss_backward(
    gradient: Tensor,
    x: Tensor,
    target: Tensor,
    p: float,
    margin: float,
    weight: Tensor | None = None,
    reduction: int = _MEAN,
) -> Tensor:
    """As `aten.multi_margin_loss_backward`: of classes within the margin, and the target's against them."""
    classes = x.shape[-1]
    own = torch.arange(classes) == target.unsqueeze(-1)
    short = margin - (x * own).sum(-1, keepdim=True) + x
    slope = torch.where(own | (short <= 0), 0, 1.0 if p == 1 else 2 * short) / classes
    if weight is not None:
        slope = slope * (own * weight).sum(-1, keepdim=True)
    slope = torch.where(own, -slope.sum(-1, keepdim=True), slope)
    scale = gradient / math.prod(target.shape) if reduction == _MEAN else gradient
    return slope * (scale if reduction else scale.unsqueeze(-1))


def cdist_backward(gradient: Tensor, a: Tensor, b: Tensor, p: float, found: Tensor) -> Tensor:
    """As `aten._cdist_backward` of sums of distances (`p` 1) and straight ones (2)."""
    if p not in (1, 2):
        return NotImplemented
    apart = a.unsqueeze(-2) - b.unsqueeze(-3)
    slope = torch.sign(apart) if p == 1 else apart / torch.where(found == 0, 1, found).unsqueeze(-1)
    return (gradient.unsqueeze(-1) * slope).sum(-2)


def trilinear(
    a: Tensor,
    b: Tensor,
    c: Tensor,
    one: list[int],
    two: list[int],
    three: list[int],
    summed: list[int],
    _unroll: int = 1,
) -> Tensor:
    """As `aten._trilinear`: products of three tensors with dimensions put in, of which some are summed."""
    for dims, place in ((one, 0), (two, 1), (three, 2)):
        for dim in dims:
            a, b, c = (x.unsqueeze(dim) if i == place else x for i, x in enumerate((a, b, c)))
    return (a * b * c).sum(summed)


_OF_PYTORCH = (
    _aten.silu_backward.default,
    _aten.mish_backward.default,
    _aten.rrelu_with_noise_backward.default,
)
"""Those that PyTorch's own tracing leaves as they are."""

DECOMPOSITIONS: dict[OpOverload, Any] = {
    **{op: decomposition_table[op] for op in _OF_PYTORCH},
    _aten.hardshrink_backward.default: hardshrink_backward,
    _aten.softshrink_backward.default: hardshrink_backward,
    _aten.max_pool3d_with_indices_backward.default: rows_of_a_pool,
    _aten.adaptive_max_pool2d_backward.default: rows_of_a_pool,
    _aten.convolution_backward.default: convolution_backward,
    _aten.embedding_dense_backward.default: embedding_dense_backward,
    _aten._embedding_bag_backward.default: embedding_bag_backward,
    _aten._embedding_bag_per_sample_weights_backward.default: per_sample_weights_backward,
    _aten.multi_margin_loss_backward.default: multi_margin_loss_backward,
    _aten._cdist_backward.default: cdist_backward,
    _aten._trilinear.default: trilinear,
}
