"""Rows of ops that move data and compute nothing: changes of layout, transposes, slices, heads, caches, lookups."""

import math
import re
from dataclasses import replace

from inexpressible import InexpressibleError
from layouts import dtype_of, fitting, grid_of, layout_of, parse_grid, published, shards_of, stated_layouts
from names import operation
from placed import like
from rows import Row
from shapes import extents, named, operands, pick, results, tensors

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Grid, Layout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.system_desc import ChipDesc

_END = r"(DRAM|L1|\d+x\d+_[A-Z]+)"
_SWAPS = {
    "wh": (2, 3),
    "hw": (2, 3),
    "hc": (1, 2),
    "ch": (1, 2),
    "cn": (0, 1),
    "nc": (0, 1),
    "nh": (0, 2),
    "cw": (1, 3),
}
"""The two dimensions that a transpose of N, C, H, W swaps, by the letters that name two of them."""


def trace_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A change of layout between grids; the matrix is the squarest one with as many pages as were moved."""
    ends = re.fullmatch(rf"{_END}_TO_{_END}", row.shape)
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
    if text in ("DRAM", "L1"):
        return Layout(dtype, memory_space=MemorySpace[text])
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
    t, words, listed = min(tensors(row), key=lambda t: t.size), operation(row.op), len(tensors(row))
    if listed == 1 and "sharded_partial" in words:
        raise InexpressibleError("the row does not say which part of the tensor is moved")
    grid = fitting(row, t, shards_of(row, chip), chip)
    stated = stated_layouts(re.sub(r"\bto\b", "->", row.memory_layout))
    before, after = stated.get("in0", row.memory_layout), stated.get("out", "")
    if row.said.moved and after:
        before, after = (f"{text} {n} cores" for text, n in zip((before, after), row.said.moved, strict=True))
    counts = re.search(
        r"(\d+(?:x\d+)?)( cores?)? *(?:->|to) *(\d+(?:x\d+)?)( cores?)?", f"{row.shape} {row.notes} {row.grid}"
    )
    if not after and counts and (counts[2] or counts[4] or "reshard" in words):
        before, after = f"{row.memory_layout} {counts[1]} cores", f"{row.memory_layout} {counts[3]} cores"
    if not after:
        before, after = _ends(words, row.memory_layout)
    before, after = _tiled_ends(words, before, after)
    given, made = dtype_of(row.dtypes[0]), dtype_of(row.dtypes[2] or row.dtypes[0])
    size = t.size * given.row_major_bytes
    source, target = (_on(published(text, size), dtype, grid, chip) for text, dtype in ((before, given), (after, made)))
    op = OPS["to_layout"].on([t], {}, t)
    return DeviceOp(op, (source,), (target,), target.grid or source.grid or grid, Spread.FLAT)


def _on(text: str, dtype: DType, grid: Grid, chip: ChipDesc) -> Layout:
    """The layout that a text names, over the cores that it names or those of the row."""
    cores = re.search(r"\d+\s*x\s*\d+|\d+(?=[- ]*cores?)", text)
    return layout_of(text, dtype, grid_of(cores[0], chip) if cores else grid)


def _ends(words: str, layout: str) -> tuple[str, str]:
    plain = re.sub(r"(height|width|block)\w*", "", layout)
    kind = re.search(r"(height|width|block)", layout.lower())
    sharded = f"L1 {kind[1] if kind else 'height'}"
    if "interleavedtosharded" in words or "interleaved_to_sharded" in words:
        return "DRAM" if "l1 interleaved" not in layout.lower() else "L1", sharded
    if "shardedtointerleaved" in words or "sharded_to_interleaved" in words:
        return sharded, "DRAM" if "l1 interleaved" not in layout.lower() else "L1"
    if "tilize" in words:
        return (layout, plain) if "untilize" in words else (plain, layout)
    if "reshard" in words:
        raise InexpressibleError("the row does not say from which shards to which")
    return layout, layout


def _tiled_ends(words: str, before: str, after: str) -> tuple[str, str]:
    """Both ends of what makes tiles of rows, or rows of tiles: its name says which, where they do not."""
    if "tilize" not in words or "row_major" in f"{before} {after}".lower():
        return before, after
    return (before, f"{after} row_major") if "untilize" in words else (f"{before} row_major", after)


def laid_out_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A part of a tensor on its way to a buffer of its own: rows of the smallest tensor, of those of the largest."""
    listed = tensors(row)
    part, whole = (_rows_of(by(listed, key=lambda t: t.size)) for by in (min, max))
    width = min(part.shape[1], whole.shape[1])
    part, whole = (TensorType((t.shape[0], width), t.dtype) for t in (part, whole))
    stated, words = stated_layouts(row.memory_layout), operation(row.op)
    given, made = stated.get("in0", "DRAM"), stated.get("out", "DRAM")
    if "row_major" in f"{given} {made}".lower() and "tile" in f"{given} {made}".lower():
        formats = (row.dtypes[0], row.dtypes[2] or row.dtypes[0])
        source, target = (
            layout_of(text, dtype_of(dtype), shards_of(row, chip))
            for text, dtype in zip((given, made), formats, strict=True)
        )
        op = OPS["to_layout"].on([part], {}, part)
        return DeviceOp(op, (source,), (target,), target.grid or shards_of(row, chip), Spread.FLAT)
    source = part if "write" in words else whole
    attributes = {"begins": (0, 0), "ends": part.shape, "step": (1, 1)}
    return like(row, "slice_static", [source], attributes, chip)


def _rows_of(t: TensorType) -> TensorType:
    return TensorType((math.prod(t.shape[:-1]), t.shape[-1]), t.dtype)


def transpose_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A transpose of the last two dimensions or of two that letters name, or a permutation that the row spells."""
    words, x = f"{row.op} {row.notes}", tensors(row)[0]
    if x.rank < 2:
        raise InexpressibleError("one dimension cannot be transposed")
    for spelled in re.findall(r"[(\[]\s*(\d(?:\s*,\s*\d)+)\s*[)\]]", words):
        permutation = tuple(int(n) for n in re.findall(r"\d", spelled))
        if sorted(permutation) == list(range(x.rank)):
            return like(row, "permute", [x], {"permutation": permutation}, chip)
    letters = (p for name, p in _SWAPS.items() if re.search(rf"(?<![a-z]){name}(?![a-z])", words.lower()))
    dim0, dim1 = next(letters, (2, 3)) if x.rank == 4 else (x.rank - 2, x.rank - 1)
    return like(row, "transpose", [x], {"dim0": dim0, "dim1": dim1}, chip)


def concat_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Tensors joined along the one dimension in which they differ, or the last."""
    parts = operands(row)
    if len(parts) < 2:
        raise InexpressibleError(f"shape {row.shape!r} does not give 2 tensors")
    differ = [i for i, sizes in enumerate(zip(*(t.shape for t in parts), strict=True)) if len(set(sizes)) > 1]
    return like(row, "concat", parts, {"dim": differ[0] if differ else parts[0].rank - 1}, chip)


def slice_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """The first part of a tensor, as large as the second shape."""
    x, part = tensors(row, least=2)[:2]
    attributes = {"begins": (0,) * x.rank, "ends": part.shape, "step": (1,) * x.rank}
    return like(row, "slice_static", [x], attributes, chip)


def pad_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A tensor that grows to the second shape, or to whole tiles."""
    listed = tensors(row)
    x = listed[0]
    whole = listed[1].shape if len(listed) > 1 else (*x.shape[:-2], *(-(-n // TILE) * TILE for n in x.shape[-2:]))
    padding = tuple(n for a, b in zip(x.shape, whole, strict=True) for n in (0, b - a))
    return like(row, "pad", [x], {"padding": padding, "value": 0.0}, chip)


def reshape_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """The same elements in the second shape."""
    x, shaped = tensors(row, least=2)[:2]
    return like(row, "reshape", [x], {"shape": shaped.shape}, chip)


def repeat_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A tensor as often as the second shape is larger."""
    x, whole = tensors(row, least=2)[:2]
    times = tuple(b // a for a, b in zip(x.shape, whole.shape, strict=True))
    return like(row, "repeat", [x], {"repeat_dimensions": times}, chip)


def fill_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A tensor of one value."""
    return like(row, "full", [], {"shape": tensors(row)[0].shape, "fill_value": 0.0}, chip, tensors(row)[0])


def rotary_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Heads [B, H, S, D] turned by angles in DRAM: those that the row lists, or one of each position."""
    x, *listed = operands(row)
    angles = listed[:2] if len(listed) > 1 else [x.with_shape((*(1 for _ in x.shape[:-2]), *x.shape[-2:]))] * 2
    placed = like(row, "rotary_embedding", [x, *angles], {}, chip)
    return replace(placed, operands=(placed.operands[0], *(Layout(placed.operands[0].dtype) for _ in angles)))


def cache_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """New keys or values into a cache: one row a user, or all rows from the first on."""
    cache, given = tensors(row, least=2)[:2]
    if cache.shape == given.shape or "fill" in operation(row.op):
        return like(row, "fill_cache", [cache, given], {"batch_offset": 0}, chip)
    index = TensorType((given.shape[1],), DType.SI32)
    return like(row, "paged_update_cache", [cache, given, index, None], {"share_cache": False}, chip)


def heads_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Heads [B, H, S, D] side by side; of new tokens [1, B, H, D]."""
    x = tensors(row)[0]
    if "decode" in operation(row.op):
        _, users, heads, width = x.shape
        x = TensorType((users, heads, 1, width), x.dtype)
    return like(row, "concatenate_heads", [x], {}, chip)


def split_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A matrix [B, S, W] taken apart into heads of 64, or as many as the row names."""
    x = tensors(row)[0]
    width = x.shape[-1]
    flat = TensorType((x.shape[0], math.prod(x.shape[1:-1]), width), x.dtype)
    if "decode" in operation(row.op):
        flat = TensorType((math.prod(x.shape[:-1]), 1, width), x.dtype)
        made_of = f"in0 L1 interleaved, out L1 height, {row.memory_layout}"
        row = replace(row, memory_layout=made_of, grid=row.grid or f"{flat.shape[0]} cores")
    made = [t.shape for t in results(row) if len(t.shape) == 4]
    if made and not width % made[0][-1]:
        heads = width // made[0][-1]
    else:
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
