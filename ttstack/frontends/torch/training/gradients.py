"""Gradients that PyTorch computes in one op, decomposed to ops with conversions."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch._decomp import decomposition_table
from torch._ops import OpOverload

_aten = torch.ops.aten
_MEAN = 1
"""PyTorch's number of the mean reduction; 0 is none."""
_IMAGE = 4
"""Rank of a batch of images."""


def hardshrink_backward(gradient: Tensor, x: Tensor, limit: float) -> Tensor:
    """Compute `aten.hardshrink_backward` and `aten.softshrink_backward`: zero within the limit."""
    return torch.where((x >= -limit) & (x <= limit), 0, gradient)


def rows_of_a_pool(gradient: Tensor, x: Tensor, *windows_and_indices: Any) -> Tensor:
    """Compute `aten.max_pool3d_with_indices_backward` and similar: gradients go to the positions of the maxima."""
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
    """Compute `aten.convolution_backward` of transposed and 3-D convolutions; others have a conversion.

    The gradient of a transposed convolution is a convolution, and the weight's gradient is that convolution's.
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
    """Return the elements at each side that the last windows do not reach."""
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
    """Return the weight's gradient of a convolution of `x`: for images by the op, for volumes one plane at a time."""
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
    """Compute `aten.embedding_dense_backward` with gradients divided by the number of lookups of a row."""
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
    """Compute `aten._embedding_bag_backward` with a weight for each row; others have a conversion."""
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
    """Compute `aten._embedding_bag_per_sample_weights_backward`: rows times the gradients of their bags."""
    found = (torch.nn.functional.embedding(indices, table) * _bags(offsets, len(indices), gradient)).sum(1)
    return found if padding < 0 else torch.where(indices == padding, 0, found)


def _bags(offsets: Tensor, count: int, gradient: Tensor) -> Tensor:
    """Return the gradient of the bag of each index."""
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
    """Compute `aten.multi_margin_loss_backward`: for classes within the margin, and the opposite for the target."""
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
    """Compute `aten._cdist_backward` for Manhattan (`p` 1) and Euclidean distances (2)."""
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
    """Compute `aten._trilinear`: products of three tensors with inserted dimensions, some of them summed."""
    for dims, place in ((one, 0), (two, 1), (three, 2)):
        for dim in dims:
            a, b, c = (x.unsqueeze(dim) if i == place else x for i, x in enumerate((a, b, c)))
    return (a * b * c).sum(summed)


_OF_PYTORCH = (
    _aten.silu_backward.default,
    _aten.mish_backward.default,
    _aten.rrelu_with_noise_backward.default,
)
"""Gradients that PyTorch's own tracing does not decompose."""

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
