"""Data movement: reshapes, joins and repeats. Results are views of the operand where NumPy can."""

import numpy as np

from ttstack.ops.einops import rearrangement
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
    steps = rearrangement(pattern, x.shape)
    return x.reshape(steps.split).transpose(steps.permutation).reshape(steps.merged)


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
    out[tuple(slice(max(lo, 0), n - max(hi, 0)) for (lo, hi), n in zip(pairs, out.shape, strict=True))] = x[crop]
    return out


@KERNELS
def reverse(x: Array, *, dimensions: tuple[int, ...]) -> Array:
    """Reverse the order along `dimensions`."""
    return np.flip(x, dimensions)
