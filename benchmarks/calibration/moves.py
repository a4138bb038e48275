"""Rows of ops that move data and compute nothing: changes of layout, transposes, slices, heads, caches, lookups."""

import math
import re

from elementwise import like
from inexpressible import InexpressibleError
from layouts import dtype_of, grid_of, layout_of, parse_grid
from rows import Row
from shapes import extents, named, pick, tensors

from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.device_op import DeviceOp, Spread
from ttstack.program.layout import Grid, Layout, MemorySpace
from ttstack.system_desc import ChipDesc


def trace_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A change of layout between grids; the matrix is the squarest one with as many pages as were moved."""
    ends = re.fullmatch(r"(DRAM|\d+x\d+_[A-Z]+)_TO_(DRAM|\d+x\d+_[A-Z]+)", row.shape)
    if ends is None:
        return layout_row(row, chip)
    moved = re.search(r"(\d+) bytes in \d+ transfers, packet sizes \{(\d+):", row.notes)
    if moved is None:
        raise InexpressibleError("the notes do not say how much was moved")
    pages, size = int(moved[1]) // int(moved[2]), int(moved[2])
    dtype = DType.BF16 if size == DType.BF16.tile_bytes else DType.F32
    source, target = _end(ends[1], dtype), _end(ends[2], dtype)
    tensor = _squarest(pages, (source, target))
    op = OPS["to_layout"].on([tensor], {}, tensor)
    return DeviceOp(op, (source,), (target,), target.grid or source.grid or Grid(*chip.grid), Spread.FLAT)


def _end(text: str, dtype: DType) -> Layout:
    if text == "DRAM":
        return Layout(dtype, memory_space=MemorySpace.DRAM)
    return layout_of(f"L1 {text}", dtype, parse_grid(text))


def _squarest(pages: int, layouts: tuple[Layout, ...]) -> TensorType:
    """The squarest matrix of so many tiles whose shards are equal; with the fullest core nearest to that, if none."""
    heights = [h for h in range(1, pages + 1) if pages % h == 0]
    matrices = [TensorType((h * 32, pages // h * 32), layouts[0].dtype) for h in heights]
    fullest = [[math.prod(x.shard(t)) * x.grid.cores for x in layouts if x.grid] for t in matrices]
    key = [(sum(full), abs(math.log(h * h / pages)), -h) for full, h in zip(fullest, heights, strict=True)]
    return matrices[key.index(min(key))]


def layout_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A tensor that changes memory, shards, tiling or format: `memory_layout` is `from -> to`, or the name tells."""
    (t, *_), words = tensors(row), row.op.lower()
    grid = grid_of(row.grid, chip)
    before, _, after = row.memory_layout.partition("->")
    if not after:
        before, after = _ends(words, row.memory_layout)
    given, made = dtype_of(row.dtypes[0]), dtype_of(row.dtypes[2] or row.dtypes[0])
    source, target = layout_of(before, given, grid), layout_of(after, made, grid)
    op = OPS["to_layout"].on([t], {}, t)
    return DeviceOp(op, (source,), (target,), grid, Spread.FLAT)


def _ends(words: str, layout: str) -> tuple[str, str]:
    plain = re.sub(r"(height|width|block)\w*", "", layout)
    kind = re.search(r"(height|width|block)", layout.lower())
    sharded = f"L1 {kind[1] if kind else 'height'}"
    if "interleavedtosharded" in words or "interleaved_to_sharded" in words:
        return "DRAM" if "l1 interleaved" not in layout.lower() else "L1", sharded
    if "shardedtointerleaved" in words or "sharded_to_interleaved" in words:
        return sharded, "DRAM" if "l1 interleaved" not in layout.lower() else "L1"
    if "untilize" in words:
        return layout, f"{plain} row_major"
    if "tilize" in words:
        return f"{plain} row_major", layout
    if "reshard" in words:
        raise InexpressibleError("the row does not say from which shards to which")
    return layout, layout


def transpose_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A transpose of the last two dimensions, or a permutation that the notes spell."""
    x, order = tensors(row)[0], re.search(r"[(\[]\s*(\d(?:\s*,\s*\d)+)\s*[)\]]", row.notes)
    if order is not None:
        permutation = tuple(int(n) for n in re.findall(r"\d", order[1]))
        if sorted(permutation) == list(range(x.rank)):
            return like(row, "permute", [x], {"permutation": permutation}, chip)
    if x.rank < 2:
        raise InexpressibleError("one dimension cannot be transposed")
    return like(row, "transpose", [x], {"dim0": x.rank - 2, "dim1": x.rank - 1}, chip)


def concat_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Tensors joined along the one dimension in which they differ, or the last."""
    parts = tensors(row, least=2)
    differ = [i for i, sizes in enumerate(zip(*(t.shape for t in parts), strict=True)) if len(set(sizes)) > 1]
    return like(row, "concat", parts, {"dim": differ[0] if differ else parts[0].rank - 1}, chip)


def slice_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """The first part of a tensor, as large as the second shape."""
    x, part = tensors(row, least=2)[:2]
    attributes = {"begins": (0,) * x.rank, "ends": part.shape, "step": (1,) * x.rank}
    return like(row, "slice_static", [x], attributes, chip)


def pad_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A tensor that grows to the second shape."""
    x, whole = tensors(row, least=2)[:2]
    padding = tuple(n for a, b in zip(x.shape, whole.shape, strict=True) for n in (0, b - a))
    return like(row, "pad", [x], {"padding": padding, "value": 0.0}, chip)


def reshape_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """The same elements in the second shape."""
    x, shaped = tensors(row, least=2)[:2]
    return like(row, "reshape", [x], {"shape": shaped.shape}, chip)


def heads_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Heads [B, H, S, D] side by side."""
    return like(row, "concatenate_heads", tensors(row)[:1], {}, chip)


def split_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A matrix [B, S, W] taken apart into heads of 64, or as many as the row names."""
    x = tensors(row)[0]
    width = x.shape[-1]
    flat = TensorType((x.shape[0], math.prod(x.shape[1:-1]), width), x.dtype)
    heads = pick(named(f"{row.notes} {row.shape}"), ("heads", "num_heads", "nh"), max(width // 64, 1))
    return like(row, "split_heads", [flat], {"num_heads": heads}, chip)


def embedding_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Rows of a table: the shape lists indices and table, or names tokens, vocabulary and width."""
    sizes, listed = named(row.shape), extents(row.shape)
    if len(listed) >= 2:
        ids, table = listed[0], listed[1][-2:]
    else:
        ids = (pick(sizes, ("b", "batch"), 1), pick(sizes, ("s", "seq", "n", "tokens")))
        table = (pick(sizes, ("v", "vocab", "rows")), pick(sizes, ("d", "dim", "h", "hidden")))
    dtype = dtype_of(row.dtypes[1] or row.dtypes[0])
    operands = [TensorType(ids, DType.UI32), TensorType(table, DType.BF16 if not dtype.is_float else dtype)]
    return like(row, "embedding", operands, {}, chip)
