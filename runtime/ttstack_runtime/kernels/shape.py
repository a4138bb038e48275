"""Data movement: reshapes, slices, joins and repeats. Results are views of the operand where NumPy can."""

from itertools import starmap

import numpy as np

from ttstack_runtime.kernels.pattern import parse
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def reshape(x: Array, *, shape: tuple[int, ...]) -> Array:
    """The elements in row-major order as `shape`."""
    return x.reshape(shape)


@KERNELS
def transpose(x: Array, *, dim0: int, dim1: int) -> Array:
    """Swap two axes."""
    return x.swapaxes(dim0, dim1)


@KERNELS
def permute(x: Array, *, permutation: tuple[int, ...]) -> Array:
    """Axis `i` of the result is axis `permutation[i]` of `x`."""
    return x.transpose(permutation)


@KERNELS
def rearrange(x: Array, *, pattern: str) -> Array:
    """Rearrange axes by an einops pattern without lengths, such as `b h s d -> b s (h d)`."""
    return parse(pattern, x.shape).apply(x)


@KERNELS
def squeeze(x: Array, *, dim: int) -> Array:
    """Drop axis `dim`, of length 1."""
    return np.squeeze(x, axis=dim)


@KERNELS
def unsqueeze(x: Array, *, dim: int) -> Array:
    """Insert an axis of length 1 before axis `dim` of the result."""
    return np.expand_dims(x, dim)


@KERNELS
def concat(*inputs: Array, dim: int) -> Array:
    """Join along axis `dim`."""
    return np.concatenate(inputs, axis=dim)


@KERNELS
def repeat(x: Array, *, repeat_dimensions: tuple[int, ...]) -> Array:
    """Tile the whole tensor `repeat_dimensions[i]` times along axis `i`."""
    return np.tile(x, repeat_dimensions)


@KERNELS
def repeat_interleave(x: Array, *, repeats: int, dim: int) -> Array:
    """Repeat each slice of axis `dim` `repeats` times, next to each other."""
    return np.repeat(x, repeats, axis=dim)


@KERNELS
def broadcast(x: Array, *, broadcast_dimensions: tuple[int, ...]) -> Array:
    """Repeat axis `i` `broadcast_dimensions[i]` times; axes of length 1 are not copied."""
    if all(factor == 1 or length == 1 for factor, length in zip(broadcast_dimensions, x.shape, strict=True)):
        return np.broadcast_to(x, [n * f for n, f in zip(x.shape, broadcast_dimensions, strict=True)])
    return np.tile(x, broadcast_dimensions)


@KERNELS
def pad(x: Array, *, padding: tuple[int, ...], value: float) -> Array:
    """Surround with `value`; `padding` is low and high of each axis in turn, negative amounts crop."""
    pairs = list(zip(padding[::2], padding[1::2], strict=True))
    crop = tuple(slice(max(-lo, 0), n - max(-hi, 0)) for (lo, hi), n in zip(pairs, x.shape, strict=True))
    out = np.full([n + lo + hi for (lo, hi), n in zip(pairs, x.shape, strict=True)], value, dtype=x.dtype)
    out[tuple(slice(max(lo, 0), n - max(hi, 0)) for (lo, hi), n in zip(pairs, out.shape, strict=True))] = x[
        crop
    ]
    return out


@KERNELS
def slice_static(x: Array, *, begins: tuple[int, ...], ends: tuple[int, ...], step: tuple[int, ...]) -> Array:
    """`x[begin:end:step]` on every axis."""
    return x[tuple(starmap(slice, zip(begins, ends, step, strict=True)))]


@KERNELS
def slice_dynamic(x: Array, begins: Array, ends: Array, *, step: tuple[int, ...] | None = None) -> Array:
    """`slice_static` with the bounds read from 1-D tensors."""
    steps = step or (1,) * x.ndim
    return x[tuple(slice(int(b), int(e), s) for b, e, s in zip(begins.flat, ends.flat, steps, strict=True))]


@KERNELS
def index(x: Array, *, dim: int, begin: int, end: int, step: int) -> Array:
    """`x[begin:end:step]` on axis `dim`."""
    return x[_on_axis(x, dim, slice(begin, end, step))]


@KERNELS
def index_select(x: Array, *, dim: int, begin: int, length: int, stride: int = 0) -> Array:
    """Windows of `length` along axis `dim`, from `begin` on every `stride`; stride 0 takes one window."""
    size = x.shape[dim]
    starts = np.arange(begin, size, stride or size, dtype=np.int64)
    picked = (starts[:, None] + np.arange(length, dtype=np.int64)).reshape(-1)
    return np.take(x, picked[picked < size], axis=dim)


@KERNELS
def reverse(x: Array, *, dimensions: tuple[int, ...]) -> Array:
    """Reverse the order along `dimensions`."""
    return np.flip(x, dimensions)


@KERNELS
def gather(x: Array, index: Array, *, dim: int) -> Array:
    """`torch.gather`: `out[i, j] = x[index[i, j], j]` for axis 0; `index` can be shorter on other axes."""
    return x.reshape(-1)[_flat_positions(x.shape, index, dim)]


@KERNELS
def scatter(
    x: Array, index: Array, source: Array, *, dim: int, scatter_reduce_type: str = "invalid"
) -> Array:
    """`torch.scatter` or `scatter_reduce` on one axis; the last of several assignments stays."""
    out = x.copy().reshape(-1)
    positions = _flat_positions(x.shape, index, dim)
    values = source[tuple(slice(n) for n in index.shape)]
    combine = _SCATTER[str(scatter_reduce_type).lower()]
    if combine is None:
        out[positions] = values
    else:
        combine.at(out, positions, values)
    return out.reshape(x.shape)


@KERNELS
def get_dimension_size(x: Array, *, dimension: int) -> Array:
    """Length of one axis, as a tensor of one element."""
    return np.array([x.shape[dimension]], dtype=np.int32)


_SCATTER: dict[str, np.ufunc | None] = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "invalid": None,
}


def _on_axis(x: Array, dim: int, selection: slice) -> tuple[slice, ...]:
    return tuple(selection if d == dim % x.ndim else slice(None) for d in range(x.ndim))


def _flat_positions(shape: tuple[int, ...], index: Array, dim: int) -> Array:
    """Row-major positions of the elements of a `shape` that `index` names along axis `dim`."""
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1).astype(np.int64)
    positions = index.astype(np.int64) * strides[dim]
    for axis, length in enumerate(index.shape):
        if axis != dim % len(shape):
            line = np.arange(length, dtype=np.int64) * strides[axis]
            positions += line.reshape([-1 if d == axis else 1 for d in range(index.ndim)])
    return positions
