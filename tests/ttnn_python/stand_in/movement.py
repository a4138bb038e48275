"""Calls that move elements, and the ends of buffers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ttnn_python.stand_in.tensor import DataType, Layout, Tensor, made


def reshape(x: Tensor, shape: Sequence[int], **keywords: Any) -> Tensor:
    """The same elements under another shape."""
    return made(x, x.values.reshape(shape), **keywords)


def permute(x: Tensor, order: Sequence[int], **keywords: Any) -> Tensor:
    """Dimensions in another order."""
    return made(x, x.values.transpose(order), **keywords)


def transpose(x: Tensor, first: int, second: int, **keywords: Any) -> Tensor:
    """Two dimensions exchanged."""
    return made(x, x.values.swapaxes(first, second), **keywords)


def concat(tensors: Sequence[Tensor], *, dim: int, **keywords: Any) -> Tensor:
    """Joined along a dimension."""
    return made(tensors[0], np.concatenate([x.values for x in tensors], dim), **keywords)


def repeat(x: Tensor, times: Sequence[int], **keywords: Any) -> Tensor:
    """Side by side with itself."""
    assert len(times) == len(x.shape)
    return made(x, np.tile(x.values, times), **keywords)


def repeat_interleave(x: Tensor, times: int, dim: int, **keywords: Any) -> Tensor:
    """Each slice several times."""
    return made(x, np.repeat(x.values, times, dim), **keywords)


def bounded(x: Tensor, begins: Sequence[int], ends: Sequence[int], step: Sequence[int], **keywords: Any) -> Tensor:
    """`ttnn.slice`: bounds for every dimension."""
    assert len(begins) == len(ends) == len(step) == len(x.shape)
    return made(x, x.values[tuple(map(slice, begins, ends, step))], **keywords)


def pad(x: Tensor, around: Sequence[tuple[int, int]], value: float, **keywords: Any) -> Tensor:
    """A value before and after, for each dimension."""
    return made(x, np.pad(x.values, around, constant_values=value), **keywords)


def clone(x: Tensor, **keywords: Any) -> Tensor:
    """A copy."""
    return made(x, x.values.copy(), **keywords)


def to_layout(x: Tensor, layout: Layout, dtype: DataType | None = None, **keywords: Any) -> Tensor:
    """Tiles or rows."""
    return made(x, x.values.copy(), dtype, layout, **keywords)


def to_memory_config(x: Tensor, memory_config: Any, dtype: DataType | None = None) -> Tensor:
    """Another memory."""
    return made(x, x.values.copy(), dtype, memory_config=memory_config)


def copy(source: Tensor, target: Tensor) -> None:
    """Values into the buffer of another tensor."""
    target.values[...] = target.dtype.hold(source.values)


def deallocate(x: Tensor) -> None:
    """The end of a buffer."""
    x.free()


def gather(x: Tensor, dim: int, index: Tensor, **keywords: Any) -> Tensor:
    """Elements along one dimension."""
    assert not index.dtype.is_real
    bounds = [slice(extent) for extent in index.shape]
    bounds[dim] = slice(None)
    return made(x, np.take_along_axis(x.values[tuple(bounds)], index.values, dim), **keywords)


def scatter(
    x: Tensor, dim: int, index: Tensor, source: Tensor, *, reduce: str | None = None, **keywords: Any
) -> Tensor:
    """Elements put along one dimension, or multiplied with what is there."""
    assert reduce in (None, "multiply"), reduce
    found, places, given = x.values.copy(), _places(dim, index), source.values[tuple(map(slice, index.shape))]
    if reduce is None:
        found[places] = given
    else:
        np.multiply.at(found, places, given)
    return made(x, found, **keywords)


def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor, **keywords: Any) -> Tensor:
    """Elements added along one dimension."""
    found = x.values.copy()
    np.add.at(found, _places(dim, index), source.values[tuple(map(slice, index.shape))])
    return made(x, found, **keywords)


def _places(dim: int, index: Tensor) -> tuple[Any, ...]:
    places = list(np.ogrid[tuple(map(slice, index.shape))])
    places[dim] = index.values
    return tuple(places)


def embedding(ids: Tensor, table: Tensor, *, layout: Layout, dtype: DataType | None = None, **_: Any) -> Tensor:
    """Rows of a table, by indices of two dimensions without sign."""
    assert ids.dtype is DataType.UINT32
    assert len(ids.shape) == 2
    return made(table, table.values.reshape(-1, table.shape[-1])[ids.values], dtype, layout)


def embedding_bw(ids: Tensor, table: Tensor, gradient: Tensor, *, dtype: DataType, **keywords: Any) -> Tensor:
    """Gradients added up by row of the table, under a shape of four dimensions."""
    rows, width = table.shape[-2:]
    found = np.zeros((rows, width))
    np.add.at(found, ids.values.ravel(), gradient.values.reshape(-1, width))
    return made(gradient, found.reshape(1, 1, rows, width), dtype, **keywords)


def upsample(x: Tensor, factors: Sequence[int], *, mode: str, **keywords: Any) -> Tensor:
    """Pixels of [N, H, W, C] repeated, or interpolated between their centres."""
    found = x.values
    for dim, factor in enumerate(factors, 1):
        found = found.repeat(factor, dim) if mode == "nearest" else _interpolated(found, factor, dim)
    return made(x, found, **keywords)


def _interpolated(x: Any, factor: int, dim: int) -> Any:
    extent = x.shape[dim]
    at = np.clip((np.arange(extent * factor) + 0.5) / factor - 0.5, 0, extent - 1)
    low = np.floor(at).astype(int)
    share = (at - low).reshape([-1 if d == dim else 1 for d in range(x.ndim)])
    high = np.minimum(low + 1, extent - 1)
    return x.take(low, dim) * (1 - share) + x.take(high, dim) * share
