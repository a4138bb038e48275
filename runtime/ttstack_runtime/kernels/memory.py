"""Ops that say where tensors lie; to their values nothing happens."""

from typing import Any

from numpy.typing import DTypeLike

from ttstack_runtime.kernels.creation import empty
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def alloc(*, shape: tuple[int, ...], dtype: DTypeLike, **_place: Any) -> Array:
    """Like `empty`, wherever it is."""
    return empty(shape=shape, dtype=dtype)


@KERNELS
def dealloc(_ended: Array) -> tuple[()]:
    """Nothing: memory ends by itself."""
    return ()


@KERNELS
def ttnn_metal_layout_cast(x: Array) -> Array:
    """`x`."""
    return x
