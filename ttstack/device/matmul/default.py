"""The program configuration that `ttnn` chooses for a matrix product when nobody gives it one.

As in tt-metal's matmul_program_config.cpp, for interleaved tensors and one second operand for all of a batch.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.kernel_revisions import ROWS_OF_MATMULS, SPREAD_MATMULS
from ttstack.device.layout import Grid
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc

_NARROW = 8
"""Ratio of the longer to the shorter side of a result from which on it is divided along the longer one alone."""
_SIDES = (16, 8, 4, 2)
"""Sides in tiles of the square blocks that are tried, the largest first."""
_SUBBLOCKS = (
    *((4, 2), (2, 4), (8, 1), (1, 8), (7, 1), (1, 7), (3, 2), (2, 3), (6, 1), (1, 6)),
    *((5, 1), (1, 5), (2, 2), (4, 1), (1, 4), (3, 1), (1, 3), (2, 1), (1, 2), (1, 1)),
)
"""Rows and columns of subblocks, in the order in which they are tried."""


def default_matmul(base: DeviceOp, chip: ChipDesc, batch: int = 1, *, lead: int = 1, asked: bool = False) -> DeviceOp:
    """The product as the chip's release of `ttnn` runs it.

    Args:
        base: The op on all cores of the device.
        chip: The device.
        batch: Equal matrices whose rows stand below each other in the first operand.
        lead: Those that its leading dimensions count.
        asked: Whether the call names a grid of cores.
    """
    m, n, _ = base.dispatch.domain[-3:]
    if asked:
        divided = _systolic if _narrow(m, n) else _over_grid
        return divided(base, m, n, chip)
    m, batch = m // batch, batch * lead
    wide = SPREAD_MATMULS.holds(chip)
    in_dram = not any(layout.in_l1 for layout in base.layouts())
    side = next((s for s in _SIDES if _nbytes(base, s, s, 2) < chip.l1_usable_bytes), 1)
    rows, columns = -(-m // side), -(-n // side)
    if wide and (_narrow(m, n) or (in_dram and 1 in (m, n))):
        return _along_one(base, batch, m, n, n > m, chip)
    if in_dram and ROWS_OF_MATMULS.holds(chip):
        return _over_grid(replace(base, grid=Grid(min(base.grid.rows, m), base.grid.cols)), m, n, chip, deep=True)
    one_block = rows == columns == 1
    if not one_block and rows <= base.grid.rows and columns <= base.grid.cols and 1 in (rows, columns):
        return _along_one(base, batch, m, n, rows == 1, chip)
    if wide and in_dram:
        return _over_grid(base, batch * m, n, chip, deep=True)
    fits = rows <= base.grid.rows and columns <= base.grid.cols and not one_block
    return _in_blocks(base, rows, columns, side) if fits else _tile_by_tile(base)


def each_alone(base: DeviceOp) -> DeviceOp:
    """Products of a batch where the call names a grid: each on a core, a tile along K at a time."""
    m, n, _ = base.dispatch.domain[-3:]
    config = replace(_config(MatmulProgram.REUSE, m, n, 1), per_core_M=m, per_core_N=n)
    count = math.prod(base.op.results[0].shape[:-2])
    enough = (g for g in base.grid.parts() if g.cores >= min(count, base.grid.cores))
    grid = min(enough, key=lambda g: (g.cores, -g.cols))
    return replace(base, grid=grid, spread=Spread.FLAT, config=config)


def _narrow(m: int, n: int) -> bool:
    return max(m, n) // min(m, n) > _NARROW


def _over_grid(base: DeviceOp, m: int, n: int, chip: ChipDesc, *, deep: bool = False) -> DeviceOp:
    """Rows over the grid's rows, columns over its columns, both operands sent on."""
    k, grid = base.dispatch.steps, base.grid
    depth = (k // grid.cols if k % grid.cols == 0 else 1) if deep else next(d for d in (4, 3, 2, 1) if k % d == 0)
    return _blocked(base, Spread.BLOCKS, -(-m // grid.rows), -(-n // grid.cols), depth, chip, shallower=deep)


def _along_one(base: DeviceOp, batch: int, m: int, n: int, wide: bool, chip: ChipDesc) -> DeviceOp:
    """One side over all cores, one product of a batch after the other; the other operand is sent to all of them."""
    cores, depth = base.grid.cores, 2 if base.dispatch.steps % 2 == 0 else 1
    if wide:
        return _blocked(base, Spread.COLUMNS, m, -(-n // cores), depth, chip)
    return _blocked(base, Spread.ROWS, -(-batch * m // cores), n, depth, chip)


def _systolic(base: DeviceOp, m: int, n: int, chip: ChipDesc) -> DeviceOp:
    """The same for a grid that the call names: a core's share of K in one step."""
    k, cores = base.dispatch.steps, base.grid.cores
    depth = next(d for d in range(-(-k // cores), 0, -1) if k % d == 0)
    if m > n:
        return _blocked(base, Spread.ROWS, -(-m // cores), n, depth, chip)
    return _blocked(base, Spread.COLUMNS, m, -(-n // cores), depth, chip)


def _in_blocks(base: DeviceOp, rows: int, columns: int, side: int) -> DeviceOp:
    """Square blocks, one for each of as few cores as that takes."""
    config = MatmulConfig(
        type=MatmulProgram.MULTICAST_2D, in0_block_w=2, out_subblock_h=4 if side == 2 else 1, out_subblock_w=2
    )
    return replace(base, grid=Grid(rows, columns), spread=Spread.BLOCKS, config=config)


def _tile_by_tile(base: DeviceOp) -> DeviceOp:
    """Output tiles over all cores, each of which reads all that it multiplies for each of them."""
    config = MatmulConfig(type=MatmulProgram.REUSE, in0_block_w=1, out_block_h=1, out_block_w=1)
    return replace(base, spread=Spread.FLAT, config=config)


def _blocked(
    base: DeviceOp, spread: Spread, m: int, n: int, depth: int, chip: ChipDesc, *, shallower: bool = False
) -> DeviceOp:
    """The largest output blocks that fit, in the steps along K that are wanted, or else in shorter ones."""
    depths = [d for d in range(depth, 0, -1) if depth % d == 0] if shallower else [depth]
    blocks = ((*block, d) for d in depths for block in _out_blocks(m, n))
    height, width, depth = next((b for b in blocks if _nbytes(base, *b) < chip.l1_usable_bytes), (1, 1, 1))
    kind = MatmulProgram.MULTICAST_2D if spread is Spread.BLOCKS else MatmulProgram.MULTICAST_1D
    return replace(base, spread=spread, config=_config(kind, height, width, depth))


def _config(kind: MatmulProgram, height: int, width: int, depth: int) -> MatmulConfig:
    """Output blocks of these tiles, in the first subblocks that divide them, so many tiles along K at a time."""
    rows, columns = next((h, w) for h, w in _SUBBLOCKS if height % h == 0 and width % w == 0)
    return MatmulConfig(
        type=kind,
        in0_block_w=depth,
        out_block_h=height,
        out_block_w=width,
        out_subblock_h=rows,
        out_subblock_w=columns,
    )


def _out_blocks(m: int, n: int) -> Iterator[tuple[int, int]]:
    """Blocks that divide a core's output, from the largest on, of equal ones the squarest."""
    divisors = [[d for d in range(1, extent + 1) if extent % d == 0] for extent in (m, n)]
    squarest: dict[int, tuple[int, int]] = {}
    for h in divisors[0]:
        for w in divisors[1]:
            other = squarest.get(h * w)
            if other is None or max(h, w) / min(h, w) <= max(other) / min(other):
                squarest[h * w] = h, w
    for size in sorted(squarest, reverse=True):
        yield squarest[size]


def _nbytes(base: DeviceOp, height: int, width: int, depth: int) -> int:
    """Bytes that ttnn takes the buffers of such blocks to need: streams twice, the output as it is and as sums."""
    in0, in1 = (layout.dtype.tile_bytes for layout in base.operands[:2])
    partial = max(DType.BF16.tile_bytes, base.results[0].dtype.tile_bytes)
    return 2 * depth * (height * in0 + width * in1) + height * width * (in0 + partial)
