"""Formats, layouts and grids as measurement tables spell them."""

import re

from inexpressible import InexpressibleError

from ttstack.ops.types import DType
from ttstack.program.device_op import Fidelity
from ttstack.program.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.system_desc import ChipDesc

_DTYPES = {
    "bf16": DType.BF16,
    "float16": DType.F16,
    "fp16": DType.F16,
    "bfp8": DType.BFP8_B,
    "bfp4": DType.BFP4_B,
    "fp32": DType.F32,
    "uint8": DType.UI8,
    "uint16": DType.UI16,
    "uint32": DType.UI32,
    "int32": DType.SI32,
    "": DType.BF16,
}
_SPELLINGS = (
    (r"^(dtype|dataformat|ttnn|datatype)\W+", ""),
    (r"^(bfloat16|float16_b)$", "bf16"),
    (r"^(bfp|bfloat|bf|bfp_bf)(8|4)(_b)?$", r"bfp\2"),
    (r"^(f32|float32|float)$", "fp32"),
    (r"^u(8|16|32)$", r"uint\1"),
    (r"^(si32|i32|int)$", "int32"),
)
_SHARDED = {
    "height": MemoryLayout.HEIGHT_SHARDED,
    "width": MemoryLayout.WIDTH_SHARDED,
    "block": MemoryLayout.BLOCK_SHARDED,
}


def dtype_of(name: str) -> DType:
    """The element type; what a table does not state is taken as bf16."""
    if "unstated" in name or "not stated" in name:
        return DType.BF16
    plain = name.strip().lower()
    for pattern, replacement in _SPELLINGS:
        plain = re.sub(pattern, replacement, plain)
    if plain not in _DTYPES:
        raise InexpressibleError(f"element type {name!r} is not known")
    return _DTYPES[plain]


def fidelity_of(name: str, *formats: DType) -> Fidelity:
    """The fidelity; what a table does not state is tt-metal's default for the formats."""
    plain = name.strip().lower()
    stated = next((f for f in Fidelity if f.value.lower() in plain), None)
    return stated or (Fidelity.HIFI2 if any(f is DType.BF16 for f in formats) else Fidelity.LOFI)


def layout_of(text: str, dtype: DType, grid: Grid | None = None) -> Layout:
    """The layout that a text such as `L1(block-sharded)` or `DRAM interleaved TILE` names."""
    words = text.lower()
    space = MemorySpace.L1 if "l1" in words else MemorySpace.DRAM
    kind = re.search(r"(height|width|block)", words)
    tiled = not re.search(r"row[-_ ]?major|\brm\b", words) or dtype.is_block
    if kind is None:
        return Layout(dtype, tiled, space)
    if grid is None:
        raise InexpressibleError(f"{text!r} is sharded, over no known grid")
    return Layout(dtype, tiled, space, _SHARDED[kind[1]], grid)


def parse_grid(text: str) -> Grid:
    """The grid in a text such as `8x8`, rows and columns."""
    found = re.search(r"(\d+)\s*[x,]\s*(\d+)", text)
    if found is None:
        raise InexpressibleError(f"{text!r} names no grid")
    return Grid(int(found[1]), int(found[2]))


def grid_of(text: str, chip: ChipDesc) -> Grid:
    """The cores that a row names, as `8x8` or `64 cores`; all that there are where it names none."""
    rows, cols = chip.grid
    counted = re.fullmatch(r"<?=?\s*(\d+)(\s*cores?)?.*", text.strip())
    if re.search(r"\d+\s*[x,]\s*\d+", text):
        return parse_grid(text)
    if counted is None or text.strip().startswith("<") or int(counted[1]) >= rows * cols:
        return Grid(rows, cols)
    count = int(counted[1])
    fitting = [Grid(count // c, c) for c in range(1, cols + 1) if count % c == 0 and count // c <= rows]
    if not fitting:
        raise InexpressibleError(f"{count} cores are no rectangle of the {rows}x{cols} grid")
    return fitting[-1]
