"""Formats, layouts and grids as measurement tables spell them."""

import re

from inexpressible import InexpressibleError

from ttstack.ops.types import DType
from ttstack.program.layout import Grid, Layout, MemoryLayout, MemorySpace

_DTYPES = {
    "bf16": DType.BF16,
    "bfloat16": DType.BF16,
    "bfp8_b": DType.BFP8_B,
    "bfloat8_b": DType.BFP8_B,
    "bfp4_b": DType.BFP4_B,
    "bfloat4_b": DType.BFP4_B,
    "fp32": DType.F32,
    "f32": DType.F32,
    "float32": DType.F32,
    "uint16": DType.UI16,
    "uint32": DType.UI32,
    "int32": DType.SI32,
    "": DType.BF16,
}
_SHARDED = {
    "height": MemoryLayout.HEIGHT_SHARDED,
    "width": MemoryLayout.WIDTH_SHARDED,
    "block": MemoryLayout.BLOCK_SHARDED,
}


def dtype_of(name: str) -> DType:
    """The element type; what a table does not state is taken as bf16."""
    if "unstated" in name or "not stated" in name:
        return DType.BF16
    if name.lower() not in _DTYPES:
        raise InexpressibleError(f"element type {name!r} is not known")
    return _DTYPES[name.lower()]


def layout_of(text: str, dtype: DType, grid: Grid | None = None) -> Layout:
    """The layout that a text such as `L1(block-sharded)` or `DRAM interleaved TILE` names."""
    words = text.lower()
    space = MemorySpace.L1 if "l1" in words else MemorySpace.DRAM
    kind = re.search(r"(height|width|block)", words)
    tiled = "row_major" not in words and "row-major" not in words
    if kind is None:
        return Layout(dtype, tiled, space)
    return Layout(dtype, tiled, space, _SHARDED[kind[1]], grid)


def parse_grid(text: str) -> Grid:
    """The grid in a text such as `8x8`."""
    found = re.search(r"(\d+)x(\d+)", text)
    if found is None:
        raise InexpressibleError(f"{text!r} names no grid")
    return Grid(int(found[1]), int(found[2]))
