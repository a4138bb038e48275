"""Ops that PyTorch computes by moves of memory, as moves of values."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ttstack.diagnostics import UnsupportedOpError

_aten = torch.ops.aten


def _places(size: Sequence[int], stride: Sequence[int], offset: int) -> Tensor:
    """Return the position in memory of each element of a strided view."""
    place = torch.full([1] * len(size), offset, dtype=torch.int64)
    for dim, (extent, step) in enumerate(zip(size, stride, strict=True)):
        line = torch.arange(extent) * step
        place = place + line.reshape([-1 if d == dim else 1 for d in range(len(size))])
    return place.expand(list(size))


def _check_memory(x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int) -> None:
    """Raise `UnsupportedOpError` unless `x` is all of its memory, in order, and the view is inside of it."""
    last = offset + sum((extent - 1) * step for extent, step in zip(size, stride, strict=True))
    if not x.is_contiguous() or x.storage_offset() or (math.prod(size) and last >= x.numel()):
        raise UnsupportedOpError(
            f"`as_strided` reads memory of {list(x.shape)} that is not in row-major order, or beyond its end",
            hint="write it with slices, reshape, permute or unfold",
        )


def strided_view(x: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """Gather the elements of a strided view of a contiguous tensor."""
    _check_memory(x, size, stride, storage_offset or 0)
    places = _places(size, stride, storage_offset or 0)
    return torch.index_select(x.reshape(-1), 0, places.reshape(-1)).reshape(list(size))


def as_strided_scatter(
    x: Tensor, source: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Replace the elements of a strided view of a contiguous tensor."""
    _check_memory(x, size, stride, storage_offset or 0)
    places = _places(size, stride, storage_offset or 0)
    return torch.index_put(x.reshape(-1), [places.reshape(-1)], source.reshape(-1)).reshape(x.shape)


def angle(x: Tensor) -> Tensor:
    """Return 0, pi for negative numbers, or NaN: the angle of a real number."""
    value = torch.where(x < 0, torch.pi, 0.0)
    return torch.where(torch.isnan(x), x, value)


def undefined_elements(
    size: Sequence[int], stride: Sequence[int], *, dtype: torch.dtype | None = None, **_: Any
) -> Tensor:
    """Return zeros, as elements are undefined."""
    return torch.zeros(list(size), dtype=dtype)


FORMULAS = {
    _aten.empty_strided.default: undefined_elements,
    _aten.as_strided.default: strided_view,
    _aten.as_strided_copy.default: strided_view,
    _aten.as_strided_scatter.default: as_strided_scatter,
    _aten.angle.default: angle,
}
"""The formula of each op."""
