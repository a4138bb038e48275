"""Rows of matrix products as placed ops."""

import re
from dataclasses import replace

from inexpressible import InexpressibleError
from layouts import dtype_of, layout_of, parse_grid
from rows import Row

from ttstack.ops import OPS
from ttstack.ops.types import TensorType
from ttstack.program.device_op import DeviceOp, Fidelity, Spread
from ttstack.program.footprint import dst_tiles
from ttstack.program.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.program.matmul_blocks import MatmulBlocks
from ttstack.program.matmul_config import matmul_config, subblock
from ttstack.system_desc import ChipDesc


def matmul_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A matrix product with the configuration that the compiler would choose."""
    if "MxKxN" not in row.shape:
        raise InexpressibleError(f"shape {row.shape!r} is not MxKxN")
    m, k, n = row.numbers()[:3]
    a = TensorType((m, k), dtype_of(row.dtypes[0]))
    b = TensorType((k, n), dtype_of(row.dtypes[1] or row.dtypes[0]))
    grid = _grid(row, chip)
    in0, in1, out = _layouts(row, a, b, grid)
    op = OPS["matmul"].on([a, b], {})
    fidelity = Fidelity(row.fidelity) if row.fidelity in {f.value for f in Fidelity} else Fidelity.HIFI2
    held = sum(x.bank_bytes(t, 1) for x, t in ((in0, a), (out, op.results[0])) if x.in_l1)
    if "out" not in row.memory_layout and in0.memory_layout is MemoryLayout.HEIGHT_SHARDED:
        return _automatic(DeviceOp(op, (in0, in1), (out,), grid, Spread.ROWS, fidelity), chip)
    chosen = matmul_config(op, [in0, in1], out, grid, chip, chip.l1_usable_bytes - held)
    if chosen is None:
        raise InexpressibleError(f"no blocks fit beside {held} bytes of tensors in L1")
    spread, config = chosen
    return DeviceOp(op, (in0, in1), (out,), grid, spread, fidelity, config)


def _automatic(device_op: DeviceOp, chip: ChipDesc) -> DeviceOp:
    """What tt-metal does for a height-sharded operand when nobody configures it: all of K in one step.

    The measured times jump where two such blocks no longer fit beside the shard; then blocks have fewer rows.
    """
    blocks, in0 = MatmulBlocks.of(device_op), device_op.operands[0]
    m, n, k = blocks.per_core_m, blocks.per_core_n, blocks.k
    free = chip.l1_usable_bytes // in0.dtype.tile_bytes - m * k
    fitting = [h for h in range(1, m + 1) if m % h == 0 and 2 * k * (h + n) + h * n <= free]
    height = max(fitting, default=1)
    sub_h, sub_w = subblock(height, n, dst_tiles(chip))
    config = {"in0_block_w": k, "out_block_h": height, "out_subblock_h": sub_h, "out_subblock_w": sub_w}
    return replace(device_op, config=config)


def _grid(row: Row, chip: ChipDesc) -> Grid:
    cores = re.fullmatch(r"(\d+) cores", row.grid)
    if cores is None:
        return parse_grid(row.grid)
    count, (rows, cols) = int(cores[1]), chip.grid
    fitting = [Grid(count // c, c) for c in range(1, cols + 1) if count % c == 0 and count // c <= rows]
    if not fitting:
        raise InexpressibleError(f"{count} cores are no rectangle of the {rows}x{cols} grid")
    return fitting[-1]


def _layouts(row: Row, a: TensorType, b: TensorType, grid: Grid) -> tuple[Layout, Layout, Layout]:
    named = dict(re.findall(r"(in0|in1|out) ([^,]+)", row.memory_layout))
    in0 = layout_of(named.get("in0", "DRAM"), a.dtype, grid)
    in1 = layout_of(named.get("in1", "DRAM"), b.dtype, grid)
    if "out" in named:
        return in0, in1, layout_of(named["out"], a.dtype, grid)
    if in0.memory_layout is MemoryLayout.HEIGHT_SHARDED:
        return in0, in1, in0
    return in0, in1, Layout(a.dtype, memory_space=MemorySpace.DRAM)
