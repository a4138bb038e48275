"""Formats, layouts and grids as measurement tables spell them."""

import math
import re

from inexpressible import InexpressibleError
from rows import Row

from ttstack.device.device_op import Fidelity
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.types import TILE, DType, TensorType
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
}
_SPELLINGS = (
    (r"^(bfloat16|float16_b)$", "bf16"),
    (r"^(bfp|bfloat|bf|bfp_bf)(8|4|2)(_b)?$", r"bfp\2"),
    (r"^(f32|float32|float)$", "fp32"),
    (r"^u(8|16|32)$", r"uint\1"),
    (r"^(si32|i32|int)$", "int32"),
)
_SHARDED = {
    "height": MemoryLayout.HEIGHT_SHARDED,
    "width": MemoryLayout.WIDTH_SHARDED,
    "block": MemoryLayout.BLOCK_SHARDED,
}
_UNSTATED = re.compile(r"not (recorded|published|stated)")
_SMALL = 2**20
_KIND = re.compile(r"interleaved|sharded", re.IGNORECASE)


def dtype_of(name: str) -> DType:
    """The element type; what a table does not state is taken as bf16."""
    if re.search(r"unstated|not (stated|recorded|given)|^\W*(n/?a|none|unknown)?\W*$", name.lower()):
        return DType.BF16
    for spelled in re.findall(r"[a-z][a-z0-9_]*", name.lower()):
        word = spelled
        for pattern, replacement in _SPELLINGS:
            word = re.sub(pattern, replacement, word)
        if word in _DTYPES:
            return _DTYPES[word]
    raise InexpressibleError(f"element type {name!r} is not known")


def fidelity_of(name: str, *formats: DType) -> Fidelity:
    """The fidelity; what a table does not state is tt-metal's default for the formats."""
    plain = name.strip().lower()
    stated = next((f for f in Fidelity if f.value.lower() in plain), None)
    if stated is not None:
        return stated
    if DType.F32 in formats:
        return Fidelity.HIFI4
    return Fidelity.HIFI2 if any(not f.is_block for f in formats) else Fidelity.LOFI


def layout_of(text: str, dtype: DType, grid: Grid | None = None) -> Layout:
    """The layout that a text such as `L1(block-sharded)` or `DRAM interleaved TILE` names."""
    words = text.lower()
    space = MemorySpace.L1 if "l1" in words else MemorySpace.DRAM
    kind = re.search(r"(height|width|block)", words)
    tiled = not re.search(r"row[-_ ]?major|\brm\b", words) or dtype.is_block
    if kind is None and not re.search(r"(?<!nd_)sharded", words):
        return Layout(dtype, tiled, space)
    if grid is None:
        raise InexpressibleError(f"{text!r} is sharded, over no known grid")
    return Layout(dtype, tiled, space, _SHARDED[kind[1] if kind else "height"], grid)


def published(text: str, nbytes: float) -> str:
    """The text; where it does not publish the memory, a tensor of less than a megabyte is taken to be in L1."""
    silent = "interleaved" in text and not re.search(r"\b(DRAM|L1)(?![a-z])", text)
    return f"L1 {text}" if silent and nbytes < _SMALL else text


def stated_layouts(text: str) -> dict[str, str]:
    """What a text says of each tensor, by `in0`, `in1`, ... and `out`: `in0 DRAM, out L1`, or `DRAM -> L1`.

    Empty where the text is of all of them; those that it calls not recorded are left out.
    """
    stated = dict(re.findall(r"\b(in\d+|out)(?:put)?\b[ :=]+([^,;]+)", text))
    before, arrow, after = text.partition("->")
    if arrow and not stated:
        stated = {"in0": before.strip(), "out": after.strip()}
    return {role: where for role, where in stated.items() if not _UNSTATED.search(where) or _KIND.search(where)}


def parse_grid(text: str) -> Grid:
    """The grid in a text such as `8x8`, rows and columns."""
    found = re.search(r"(\d+)\s*[x,]\s*(\d+)", text)
    if found is None:
        raise InexpressibleError(f"{text!r} names no grid")
    return Grid(int(found[1]), int(found[2]))


def named_grid(text: str, die: tuple[int, int]) -> Grid | None:
    """The grid in `8x8`, `(8, 8)` or `x=8 y=7`: rows and columns, or columns and rows where only that fits the die."""
    found = re.search(r"x\s*=\s*(\d+)\W+y\s*=\s*(\d+)", text)
    if found is not None:
        return Grid(int(found[2]), int(found[1]))
    if not re.search(r"\d+\s*[x,\u00d7]\s*\d+", text):
        return None
    grid = parse_grid(text.replace("\u00d7", "x"))
    fits = grid.rows <= die[0] and grid.cols <= die[1]
    return grid if fits or grid.cols > die[0] or grid.rows > die[1] else Grid(grid.cols, grid.rows)


def grid_of(text: str, chip: ChipDesc) -> Grid:
    """The cores that a row names, as `8x8` or `64 cores`; all that there are where it names none, or more.

    Of a number of cores that is not a rectangle, the largest rectangle within it.
    """
    rows, cols = chip.grid
    named = named_grid(text, chip.tensix_grid)
    if named is not None:
        return (
            named if named.rows <= rows and named.cols <= cols else Grid(min(named.rows, rows), min(named.cols, cols))
        )
    counted = re.search(r"(\d+)", text)
    if counted is None or text.strip().startswith("<") or int(counted[1]) >= rows * cols:
        return Grid(rows, cols)
    count = max(int(counted[1]), 1)
    fitting = [Grid(min(count // c, rows), c) for c in range(1, cols + 1) if count >= c]
    return max(fitting, key=lambda grid: (grid.cores, grid.cols))


def shards_of(row: Row, chip: ChipDesc) -> Grid:
    """The cores that hold the shards: those of the notes, else those that the row names.

    Of a number of cores that is not a rectangle the smallest around it, so that each holds as much.
    """
    shard, rows, cols = row.said.shard, *chip.grid
    if shard is None or named_grid(row.grid, chip.tensix_grid) is not None:
        return grid_of(row.grid, chip)
    if shard.rows and shard.rows <= rows and shard.columns <= cols:
        return Grid(shard.rows, shard.columns)
    return around(shard.cores, chip)


def workers_of(row: Row, chip: ChipDesc) -> Grid:
    """The cores that share what is not a shard of theirs: of a number that is not a rectangle, each has as much."""
    counted = re.fullmatch(r"(\d+) cores", row.grid)
    return around(int(counted[1]), chip) if counted else grid_of(row.grid, chip)


def around(cores: int, chip: ChipDesc) -> Grid:
    """The smallest rectangle of at least so many cores; all that there are where they are fewer."""
    rows, cols = chip.grid
    rectangles = [Grid(-(-cores // c), c) for c in range(1, cols + 1) if c * rows >= cores]
    return min(rectangles, key=lambda grid: (grid.cores, -grid.cols), default=Grid(rows, cols))


def fitting(row: Row, t: TensorType, grid: Grid, chip: ChipDesc) -> Grid:
    """The rectangle of the row's cores with blocks that the tensor's tiles fill best.

    Tables that name a number of cores name no rectangle, and those that name one differ in what comes first.
    """
    counted = re.fullmatch(r"\d+ cores", row.grid)
    if "block" not in row.memory_layout.lower() or not (counted or re.fullmatch(r"\d+x\d+", row.grid)):
        return grid
    high, wide = -(-math.prod(t.shape[:-1]) // TILE), -(-t.shape[-1] // TILE)
    rows, cols = chip.grid
    rectangles = [Grid(grid.cores // c, c) for c in range(1, grid.cores + 1) if grid.cores % c == 0]
    turned = rectangles if counted else [Grid(grid.cols, grid.rows)]
    fits = [g for g in turned if g.rows <= rows and g.cols <= cols]
    return min((grid, *fits), key=lambda g: -(-high // g.rows) * -(-wide // g.cols))
