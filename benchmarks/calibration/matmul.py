"""Rows of matrix products as placed ops."""

import math
import re
from dataclasses import replace

from inexpressible import InexpressibleError
from layouts import dtype_of, fidelity_of, grid_of, layout_of
from rows import Row
from shapes import extents, named
from tuned import GRID, tuned

from ttstack.cost import cheapest_matmul
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.device_op import DeviceOp, Spread
from ttstack.program.footprint import dst_tiles
from ttstack.program.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.program.matmul_blocks import MatmulBlocks
from ttstack.system_desc import ChipDesc


def matmul_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A matrix product with the configuration that the compiler would choose."""
    a, b = _factors(row)
    (m, k), n = a.shape[-2:], b.shape[-1]
    grid = grid_of(row.grid, chip)
    in0, in1, out = _layouts(row, a, b, grid)
    op = OPS["matmul"].on([a, b], {})
    fidelity = fidelity_of(row.fidelity, a.dtype, b.dtype)
    held = sum(x.bank_bytes(t, 1) for x, t in ((in0, a), (out, op.results[0])) if x.in_l1)
    if "out" not in row.memory_layout and in0.memory_layout is MemoryLayout.HEIGHT_SHARDED:
        return _automatic(DeviceOp(op, (in0, in1), (out,), grid, Spread.ROWS, fidelity), chip)
    if grid == GRID and "manually tuned" in row.table:
        return tuned(DeviceOp(op, (in0, in1), (out,), grid, fidelity=fidelity), (m, k, n), chip)
    chosen = cheapest_matmul(op, [in0, in1], out, grid, chip, chip.l1_usable_bytes - held, fidelity)
    if chosen is None:
        raise InexpressibleError(f"no blocks fit beside {held} bytes of tensors in L1")
    return chosen


def _factors(row: Row) -> tuple[TensorType, TensorType]:
    """Both factors: of `MxKxN`, of two shapes, of a batch of products, or of extents with names."""
    shapes, formats = extents(row.shape), [dtype_of(name or row.dtypes[0]) for name in row.dtypes[:2]]
    sizes = named(row.shape)
    if len(shapes) >= 2 and len(shapes[1]) > 1:
        return _pair(shapes[0], shapes[1], formats)
    if {"m", "k", "n"} <= sizes.keys():
        lead = tuple(sizes[name] for name in ("b", "batch") if sizes.get(name, 1) > 1)
        shapes = [(*lead, sizes["m"], sizes["k"], sizes["n"])]
    if not shapes or len(shapes[0]) not in (3, 4):
        raise InexpressibleError(f"shape {row.shape!r} is not MxKxN" if row.shape else "no shape")
    *batch, m, k, n = shapes[0]
    return TensorType((*batch, m, k), formats[0]), TensorType((*batch, k, n), formats[1])


def _pair(a: tuple[int, ...], b: tuple[int, ...], formats: list[DType]) -> tuple[TensorType, TensorType]:
    """Two tensors as factors; the second may be given transposed, or the first have rows where it has a batch."""
    if a[-1] != b[-2]:
        b = (*b[:-2], b[-1], b[-2])
    if a[-1] != b[-2]:
        raise InexpressibleError(f"{list(a)} and {list(b)} are no factors of a product")
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
    config = {"in0_block_w": k, "out_block_h": height, "out_subblock_h": sub_h, "out_subblock_w": sub_w}
    return replace(device_op, config=config)


def _layouts(row: Row, a: TensorType, b: TensorType, grid: Grid) -> tuple[Layout, Layout, Layout]:
    stated = dict(re.findall(r"(in0|in1|out)[ :=]+([^,;]+)", row.memory_layout.lower()))
    everywhere = "DRAM" if stated else row.memory_layout
    in0 = layout_of(stated.get("in0", everywhere), a.dtype, grid)
    in1 = layout_of(stated.get("in1", "DRAM"), b.dtype, grid)
    if "dram" in row.memory_layout.lower() and re.search("dram[-_ (]*(width[-_ ])?shard", row.memory_layout.lower()):
        in1 = Layout(b.dtype, True, MemorySpace.DRAM, MemoryLayout.WIDTH_SHARDED, grid)
        in0 = Layout(a.dtype, True, MemorySpace.L1, MemoryLayout.WIDTH_SHARDED, grid)
        return in0, in1, in0
    if "out" in stated:
        return in0, in1, layout_of(stated["out"], a.dtype, grid)
    if in0.memory_layout is MemoryLayout.HEIGHT_SHARDED:
        return in0, in1, in0
    return in0, in1, Layout(a.dtype, memory_space=MemorySpace.DRAM)
