"""Rows of matrix products as placed ops."""

import math
import re
from dataclasses import replace

from inexpressible import InexpressibleError
from layouts import dtype_of, fidelity_of, fitting, grid_of, layout_of, named_grid, shards_of, stated_layouts
from rows import Row
from shapes import extents, named, operands
from tuned import GRID, tuned

from ttstack.device.device_op import DeviceOp, Fidelity, Spread
from ttstack.device.footprint import dst_tiles
from ttstack.device.kernel_class import is_batched
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.matmul.configs import subblock
from ttstack.device.matmul.default import default_matmul, each_alone
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.device.program_config import MatmulConfig, MatmulProgram, Sums
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType, tiles
from ttstack.placement.pricing import Pricing
from ttstack.system_desc import ChipDesc

OUT_OF_BOX = re.compile(r"out[- ]of[- ]box|\boob\b|picked by ttnn", re.IGNORECASE)
"""What a row says whose configuration ttnn chose."""
_OPTIMIZED = re.compile(r"tenstorrent/tt-mlir/(issues|pull)/")
"""Sources of rows whose model tt-mlir compiled."""
_EXACT_SINCE = "2026-01-15"
"""Day from which tt-mlir asks each op for HiFi4 and 32-bit sums (its pull request 6632)."""


def matmul_row(row: Row, chip: ChipDesc) -> DeviceOp | tuple[DeviceOp, ...]:
    """A matrix product with the configuration that the compiler would choose, or ttnn where that tells."""
    a, b = _factors(row)
    (m, k), n = a.shape[-2:], b.shape[-1]
    grid = fitting(row, TensorType((*a.shape[:-1], n), a.dtype), grid_of(row.grid, chip), chip)
    in0, in1, out = _layouts(row, a, b, chip)
    bias = _bias(row, n, b)
    op = OPS["linear" if bias else "matmul"].on([a, b, *bias], {})
    given = (in0, in1, *(Layout(dtype_of(row.dtypes[1] or row.dtypes[0])) for _ in bias))
    fidelity = Fidelity.HIFI4 if is_exact(row) else fidelity_of(row.fidelity, a.dtype, b.dtype)
    held = sum(x.bank_bytes(t, chip.num_cores) for x, t in ((in0, a), (out, op.results[0])) if x.in_l1)
    if "out" not in row.memory_layout and in0.memory_layout is MemoryLayout.HEIGHT_SHARDED:
        return _automatic(DeviceOp(op, given, (out,), grid, Spread.ROWS, fidelity), chip)
    everywhere = DeviceOp(op, given, (out,), Grid(*chip.grid), fidelity=fidelity)
    if chosen := _unasked(row, everywhere, chip) or _batch(row, everywhere, chip):
        return chosen
    if grid == GRID and "manually tuned" in row.table:
        return tuned(DeviceOp(op, given, (out,), grid, fidelity=fidelity), (m, k, n), chip)
    base = DeviceOp(op, given, (out,), grid, fidelity=fidelity)
    chosen = Pricing(chip).fastest(base, [grid], chip.l1_usable_bytes - held)
    if chosen is None:
        raise InexpressibleError(f"no blocks fit beside {held} bytes of tensors in L1")
    return _in_blocks(chosen.device_op, row, chip)


def _bias(row: Row, n: int, b: TensorType) -> list[TensorType]:
    """The row that is added to the product, where the row names a third operand as wide."""
    third = re.search(r"\bin2 ([\dx]+)", row.shape)
    return [TensorType((1, n), b.dtype)] if third and extents(third[1])[0][-1] == n else []


def _unasked(row: Row, base: DeviceOp, chip: ChipDesc) -> DeviceOp | None:
    """What ttnn chooses where the row says that it did, or where that runs on as many cores as the row names.

    None of shards, of batches of both operands, and where other blocks are named.
    """
    if any(layout.sharded for layout in base.layouts()) or is_batched(base.dispatch):
        return None
    if is_exact(row):
        return default_matmul(base, chip, _stacked(row), sums=Sums.F32)
    if OUT_OF_BOX.search(f"{row.table} {row.notes}"):
        return default_matmul(base, chip, _stacked(row))
    if "core_grid" in row.notes:
        return _in_blocks(default_matmul(base, chip, _stacked(row), asked=True), row, chip)
    if row.time_kind != "device_kernel" or named_grid(row.grid, chip.tensix_grid) is not None:
        return None
    chosen = (default_matmul(base, chip, _stacked(row), asked=asked) for asked in (False, True))
    return next((op for op in chosen if re.fullmatch(rf"{op.cores} cores", row.grid) and _as_said(row, op)), None)


def is_exact(row: Row) -> bool:
    """Return True if tt-mlir compiled the op and the row states neither fidelity, cores nor blocks."""
    stated = row.fidelity or row.grid or row.said.blocks
    return not stated and _OPTIMIZED.search(row.source) is not None and row.day >= _EXACT_SINCE


def _batch(row: Row, base: DeviceOp, chip: ChipDesc) -> tuple[DeviceOp, ...] | None:
    """Products of a batch that ttnn divides over cores one by one, or each for a core where a grid is named.

    None of shards, of named blocks, and where that is not on as many cores as the row names.
    """
    a, b = base.op.operands[:2]
    if any(layout.sharded for layout in base.layouts()) or not is_batched(base.dispatch) or row.said.blocks:
        return None
    one = DeviceOp(
        OPS["matmul"].on([a.with_shape(a.shape[-2:]), b.with_shape(b.shape[-2:])], {}),
        base.operands[:2],
        base.results,
        base.grid,
        fidelity=base.fidelity,
    )
    each = default_matmul(one, chip)
    if OUT_OF_BOX.search(f"{row.table} {row.notes}") or row.grid == f"{each.cores} cores":
        return (each,) * math.prod(b.shape[:-2])
    if row.time_kind != "device_kernel" or not re.fullmatch(r"\d+ cores", row.grid):
        return None
    return (own,) if row.grid == f"{(own := each_alone(base)).cores} cores" else None


def _as_said(row: Row, op: DeviceOp) -> bool:
    return all(getattr(op.config, name) == value for name, value in row.said.blocks.items())


def _stacked(row: Row) -> int:
    """Matrices of the first operand whose rows stand in one, as the notes give its shape or their number."""
    if counted := re.search(r"\bM = (\d+) batches", row.notes):
        return int(counted[1])
    noted = re.search(r"\bin0 ([\dx]+)", row.notes)
    return math.prod(extents(noted[1])[0][:-2]) if noted else 1


def _in_blocks(chosen: DeviceOp, row: Row, chip: ChipDesc) -> DeviceOp:
    """The product in the blocks that the row states; raises `InexpressibleError` where they do not divide K."""
    k, depth = chosen.dispatch.steps, row.said.blocks.get("in0_block_w", 1)
    if depth < k and k % depth:
        raise InexpressibleError(f"blocks of {depth} tiles do not divide the {k} along K")
    return stated_blocks(chosen, row.said.blocks, chip)


def stated_blocks(chosen: DeviceOp, blocks: dict[str, int], chip: ChipDesc) -> DeviceOp:
    """The product in the blocks that the row states, where a core's output has as many tiles; the rest as chosen."""
    if not blocks or not isinstance(config := chosen.config, MatmulConfig):
        return chosen
    most = MatmulBlocks.of(replace(chosen, config=None))
    limits = {"out_block_h": most.per_core_m, "out_block_w": most.per_core_n, "in0_block_w": most.k}
    given = {name: min(blocks[name], most) for name, most in limits.items() if name in blocks}
    now = MatmulBlocks.of(replace(chosen, config=replace(config, **given)))
    rows, columns = subblock(now.out_block_h, now.out_block_w, dst_tiles(chip))
    rows, columns = blocks.get("out_subblock_h", rows), blocks.get("out_subblock_w", columns)
    if given.keys() & {"out_block_h", "out_block_w"} or "out_subblock_h" in blocks:
        given |= {"out_subblock_h": min(rows, now.out_block_h), "out_subblock_w": min(columns, now.out_block_w)}
    return replace(chosen, config=replace(config, **given))


def _factors(row: Row) -> tuple[TensorType, TensorType]:
    """Both factors: of `MxKxN`, of two shapes, of a batch of products, or of extents with names."""
    listed = [t.shape for t in operands(row)] if re.search(r"\bin0\b", row.shape) else extents(row.shape)
    noted = re.search(r"\bin0 (\S+?)[,;]? in1 (\S+)", row.notes)
    shapes = extents(f"{noted[1]} {noted[2]}") if noted and row.said.batch > 1 else listed
    formats, sizes = [dtype_of(name or row.dtypes[0]) for name in row.dtypes[:2]], named(row.shape)
    if len(shapes) >= 2 and len(shapes[1]) > 1:
        return _pair(shapes[0], shapes[1], formats)
    lead = (row.said.batch,) if row.said.batch > 1 else ()
    if {"m", "k", "n"} <= sizes.keys():
        lead = tuple(sizes[name] for name in ("b", "batch") if sizes.get(name, 1) > 1) or lead
        shapes = [(*lead, sizes["m"], sizes["k"], sizes["n"])]
    if not shapes or len(shapes[0]) not in (3, 4):
        raise InexpressibleError(f"shape {row.shape!r} is not MxKxN" if row.shape else "no shape")
    *batch, m, k, n = shapes[0] if len(shapes[0]) > 3 else (*lead, *shapes[0])
    return TensorType((*batch, m, k), formats[0]), TensorType((*batch, k, n), formats[1])


def _pair(a: tuple[int, ...], b: tuple[int, ...], formats: list[DType]) -> tuple[TensorType, TensorType]:
    """Two tensors as factors; the second may be given transposed, or the first have rows where it has a batch."""
    if a[-1] != b[-2]:
        b = (*b[:-2], b[-1], b[-2])
    if a[-1] != b[-2]:
        raise InexpressibleError(f"{list(a)} and {list(b)} are not factors of a product")
    if math.prod(b[:-2]) == 1 and math.prod(a[:-2]) > 1:
        a, b = (math.prod(a[:-1]), a[-1]), b[-2:]
    return TensorType(a, formats[0]), TensorType(b, formats[1])


def _automatic(device_op: DeviceOp, chip: ChipDesc) -> DeviceOp:
    """What tt-metal does for a height-sharded operand when nobody configures it: all of K in one step.

    The measured times jump where two such blocks no longer fit beside the shard; then blocks have fewer rows.
    """
    blocks, in0 = MatmulBlocks.of(device_op), device_op.operands[0]
    m, n, k = blocks.per_core_m, blocks.per_core_n, blocks.k
    free = (chip.l1.size_bytes - chip.l1.unreserved_base) // in0.dtype.tile_bytes - m * (k + n)
    fitting = [h for h in range(1, m + 1) if m % h == 0 and 2 * k * (h + n) + 2 * h * n <= free]
    height = max(fitting, default=1)
    sub_h, sub_w = 1, n if n <= dst_tiles(chip) else 1
    config = MatmulConfig(
        type=MatmulProgram.MULTICAST_1D,
        in0_block_w=k,
        out_block_h=height,
        out_subblock_h=sub_h,
        out_subblock_w=sub_w,
    )
    return replace(device_op, config=config)


def _pairs(grid: Grid, a: TensorType) -> Grid:
    """Cores that hold one token's activations, in equal parts, of which each sends some tiles at a time, not one.

    As ttnn does by default; other activations lie on all cores.
    """
    rows, columns = (tiles(extent) for extent in a.shape[-2:])
    if rows > 1:
        return grid
    most = grid.cores // 2 if columns < 2 * grid.cores else grid.cores
    parts = [Grid(r, c) for r in range(1, grid.rows + 1) for c in range(1, grid.cols + 1) if columns % (r * c) == 0]
    fitting = [part for part in parts if part.cores <= max(most, 1)]
    several = [part for part in fitting if any(columns // part.cores % w == 0 for w in range(2, 9))]
    return max(several or fitting, key=lambda part: (part.cores, part.cols))


def _on_its_cores(layout: Layout, t: TensorType) -> Layout:
    """Width shards on as many cores as have one, which need be not a rectangle."""
    if layout.memory_layout is not MemoryLayout.WIDTH_SHARDED or layout.fills(t):
        return layout
    (_, columns), (_, width) = layout.matrix(t), layout.shard(t)
    return replace(layout, grid=Grid(1, -(-columns // width)))


def _layouts(row: Row, a: TensorType, b: TensorType, chip: ChipDesc) -> tuple[Layout, Layout, Layout]:
    stated = stated_layouts(row.memory_layout.lower())
    grid = fitting(row, TensorType((*a.shape[:-1], b.shape[-1]), a.dtype), shards_of(row, chip), chip)
    everywhere, banks = "DRAM" if stated else row.memory_layout, Grid(1, chip.dram.num_channels)
    holders = _pairs(grid, a) if row.said.in0_cores is None else grid_of(f"{row.said.in0_cores} cores", chip)
    in0 = layout_of(stated.get("in0", everywhere), a.dtype, holders)
    in1 = layout_of(stated.get("in1", "DRAM"), b.dtype, grid)
    if in1.sharded and not in1.in_l1:
        in1 = replace(in1, grid=banks)
    if "dram" in row.memory_layout.lower() and re.search("dram[-_ (]*(width[-_ ])?shard", row.memory_layout.lower()):
        in1 = Layout(b.dtype, True, MemorySpace.DRAM, MemoryLayout.WIDTH_SHARDED, banks)
        in0 = Layout(a.dtype, True, MemorySpace.L1, MemoryLayout.WIDTH_SHARDED, holders)
        return in0, in1, in0
    if "out" in stated:
        made = TensorType((*a.shape[:-1], b.shape[-1]), dtype_of(row.dtypes[2] or row.dtypes[0]))
        return in0, in1, _on_its_cores(layout_of(stated["out"], made.dtype, grid), made)
    if in0.memory_layout is MemoryLayout.HEIGHT_SHARDED:
        return in0, in1, in0
    return in0, in1, Layout(a.dtype, memory_space=MemorySpace.DRAM)
