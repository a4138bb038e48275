"""Parts of a tensor: slices, windows, and elements picked or written by index."""

from itertools import starmap

import numpy as np
from numpy.typing import DTypeLike

from ttstack.diagnostics import ExecutionError
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def slice_static(x: Array, *, begins: tuple[int, ...], ends: tuple[int, ...], step: tuple[int, ...]) -> Array:
    """`x[begin:end:step]` on every axis."""
    return x[tuple(starmap(slice, zip(begins, ends, step, strict=True)))]


@KERNELS
def slice_dynamic(
    x: Array,
    begins: Array,
    ends: Array,
    *,
    step: tuple[int, ...] | None = None,
    shape: tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """`slice_static` with the bounds read from 1-D tensors.

    Raises:
        ExecutionError: the bounds do not give as many elements as `shape` says.
    """
    steps = step or (1,) * x.ndim
    bounds = [(int(b), int(e), s) for b, e, s in zip(begins.flat, ends.flat, steps, strict=True)]
    out = x[tuple(starmap(slice, bounds))]
    if shape is not None and out.shape != tuple(shape):
        spelled = ", ".join(f"{b}:{e}:{s}" for b, e, s in bounds)
        raise ExecutionError(
            f"the slice [{spelled}] of {list(x.shape)} has shape {list(out.shape)}, the result {list(shape)}",
            hint="give bounds inside of the input that are as far apart as the result is long",
        )
    return out.astype(dtype, copy=False) if dtype else out


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
def gather(x: Array, index: Array, *, dim: int) -> Array:
    """`torch.gather`: `out[i, j] = x[index[i, j], j]` for axis 0; `index` can be shorter on other axes."""
    return x.reshape(-1)[_flat_positions(x.shape, index, dim)]


@KERNELS
def scatter(x: Array, index: Array, source: Array, *, dim: int, scatter_reduce_type: str = "invalid") -> Array:
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
def get_dimension_size(
    x: Array, *, dimension: int, shape: tuple[int, ...] = (1,), dtype: DTypeLike = np.int32
) -> Array:
    """Length of one axis, as a tensor of one element."""
    return np.full(shape, x.shape[dimension], dtype=dtype)


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
    """Row-major positions of the elements of a `shape` that `index` names along axis `dim`.

    Raises:
        ExecutionError: an index is outside of the axis.
    """
    if index.size and not 0 <= index.min() <= index.max() < shape[dim]:
        worst = index.max() if index.max() >= shape[dim] else index.min()
        raise ExecutionError(f"index {worst} is outside of dimension {dim}, which has extent {shape[dim]}")
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1).astype(np.int64)
    positions = index.astype(np.int64) * strides[dim]
    for axis, length in enumerate(index.shape):
        if axis != dim % len(shape):
            line = np.arange(length, dtype=np.int64) * strides[axis]
            positions += line.reshape([-1 if d == axis else 1 for d in range(index.ndim)])
    return positions
