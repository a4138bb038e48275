"""`ttnn`'s default program configuration of a matmul.

As in tt-metal's matmul_program_config.cpp, for interleaved tensors and a second operand without a batch.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.kernel_revisions import NARROW_MATMULS, ROWS_OF_MATMULS, SPREAD_MATMULS
from ttstack.device.layout import Grid
from ttstack.device.program_config import MatmulConfig, MatmulProgram, Sums
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc

_NARROW = 8
"""Ratio of the sides of a result above which only the longer side is divided."""
_SIDES = (16, 8, 4, 2)
"""Sides in tiles of the square blocks to try, largest first."""
_SUBBLOCKS = (
    *((4, 2), (2, 4), (8, 1), (1, 8), (7, 1), (1, 7), (3, 2), (2, 3), (6, 1), (1, 6)),
    *((5, 1), (1, 5), (2, 2), (4, 1), (1, 4), (3, 1), (1, 3), (2, 1), (1, 2), (1, 1)),
)
"""Rows and columns of subblocks, in the order to try."""
_WIDE_SUBBLOCK = 4
"""Maximum tiles of a subblock with 32-bit sums."""


def default_matmul(
    base: DeviceOp,
    chip: ChipDesc,
    batch: int = 1,
    *,
    lead: int = 1,
    asked: bool = False,
    sums: Sums = Sums.BF16,
) -> DeviceOp:
    """Return the matmul as the chip's release of `ttnn` runs it.

    If a tensor is not in DRAM, the matmul is divided into square blocks, one for each of as few cores as possible, or,
    if there are more blocks than the grid has rows or columns, tile by tile over all cores (tt-metal issue 56976).

    Args:
        base: The op on all cores of the device.
        chip: The device.
        batch: Number of equal matrices whose rows are stacked in the first operand.
        lead: Number of matrices in its leading dimensions.
        asked: Whether the call names a grid of cores.
        sums: The requested accumulation type, which takes L1 of blocks, and Dst.
    """
    m, n, _ = base.dispatch.domain[-3:]
    choice = _Choice(base, chip, sums)
    if asked:
        return choice.systolic(m, n) if _narrow(m, n) else choice.over_grid(base.grid, m, n)
    m, batch = m // batch, batch * lead
    wide = SPREAD_MATMULS.holds(chip)
    in_dram = not any(layout.in_l1 for layout in base.layouts())
    narrow = _narrow(m, n) and (in_dram or NARROW_MATMULS.holds(chip))
    side = next((s for s in _SIDES if choice.fits(s, s, 2)), 1)
    rows, columns = -(-m // side), -(-n // side)
    if wide and (narrow or (in_dram and 1 in (m, n))):
        return choice.along_one(batch, m, n, n > m)
    if in_dram and ROWS_OF_MATMULS.holds(chip):
        return choice.over_grid(Grid(min(base.grid.rows, m), base.grid.cols), m, n, deep=True)
    one_block = rows == columns == 1
    if not one_block and rows <= base.grid.rows and columns <= base.grid.cols and 1 in (rows, columns):
        return choice.along_one(batch, m, n, rows == 1)
    if wide and in_dram:
        return choice.over_grid(base.grid, batch * m, n, deep=True)
    fits = rows <= base.grid.rows and columns <= base.grid.cols and not one_block
    return _in_blocks(base, rows, columns, side) if fits else _tile_by_tile(base)


def each_alone(base: DeviceOp) -> DeviceOp:
    """Return batched matmuls on a given grid: one per core, a tile along K at a time."""
    m, n, _ = base.dispatch.domain[-3:]
    config = replace(_config(MatmulProgram.REUSE, m, n, 1), per_core_M=m, per_core_N=n)
    count = math.prod(base.op.results[0].shape[:-2])
    enough = (g for g in base.grid.parts() if g.cores >= min(count, base.grid.cores))
    grid = min(enough, key=lambda g: (g.cores, -g.cols))
    return replace(base, grid=grid, spread=Spread.FLAT, config=config)


def _narrow(m: int, n: int) -> bool:
    return max(m, n) // min(m, n) > _NARROW


@dataclass(frozen=True)
class _Choice:
    """The parameters of a choice of blocks: tensors, available L1, and accumulation type."""

    base: DeviceOp
    chip: ChipDesc
    sums: Sums

    def over_grid(self, grid: Grid, m: int, n: int, *, deep: bool = False) -> DeviceOp:
        """Return rows over the grid's rows and columns over its columns, with both operands multicast."""
        k = self.base.dispatch.steps
        depth = (k // grid.cols if k % grid.cols == 0 else 1) if deep else next(d for d in (4, 3, 2, 1) if k % d == 0)
        blocks = -(-m // grid.rows), -(-n // grid.cols), depth
        return replace(self._blocked(Spread.BLOCKS, *blocks, shallower=deep), grid=grid)

    def along_one(self, batch: int, m: int, n: int, wide: bool) -> DeviceOp:
        """Return a configuration that distributes one dimension over all cores and multicasts the other operand."""
        cores, depth = self.base.grid.cores, 2 if self.base.dispatch.steps % 2 == 0 else 1
        if wide:
            return self._blocked(Spread.COLUMNS, m, -(-n // cores), depth)
        return self._blocked(Spread.ROWS, -(-batch * m // cores), n, depth)

    def systolic(self, m: int, n: int) -> DeviceOp:
        """Return the same for a given grid, with a core's part of K in one step."""
        k, cores = self.base.dispatch.steps, self.base.grid.cores
        depth = next(d for d in range(-(-k // cores), 0, -1) if k % d == 0)
        if m > n:
            return self._blocked(Spread.ROWS, -(-m // cores), n, depth)
        return self._blocked(Spread.COLUMNS, m, -(-n // cores), depth)

    def _blocked(self, spread: Spread, m: int, n: int, depth: int, *, shallower: bool = False) -> DeviceOp:
        """Return the largest output blocks that fit, in the requested steps along K, or in shorter ones."""
        depths = [d for d in range(depth, 0, -1) if depth % d == 0] if shallower else [depth]
        blocks = ((*block, d) for d in depths for block in _out_blocks(m, n))
        height, width, depth = next((b for b in blocks if self.fits(*b)), (1, 1, 1))
        kind = MatmulProgram.MULTICAST_2D if spread is Spread.BLOCKS else MatmulProgram.MULTICAST_1D
        return replace(self.base, spread=spread, config=_config(kind, height, width, depth, self.sums))

    def fits(self, height: int, width: int, depth: int) -> bool:
        """Return True if ttnn assumes that the buffers of such blocks fit: streams twice, and the output with its sums.

        Operands in L1 reduce the available space; the result does not yet.
        """
        in0, in1 = (layout.dtype.tile_bytes for layout in self.base.operands[:2])
        sums = DType.F32 if self.sums is Sums.F32 else DType.BF16
        partial = max(sums.tile_bytes, self.base.results[0].dtype.tile_bytes)
        nbytes = 2 * depth * (height * in0 + width * in1) + height * width * (in0 + partial)
        operands = zip(self.base.operands, self.base.op.operands, strict=True)
        held = sum(x.bank_bytes(t, self.chip.num_cores) for x, t in operands if x.in_l1)
        return nbytes < self.chip.l1_usable_bytes - held


def _in_blocks(base: DeviceOp, rows: int, columns: int, side: int) -> DeviceOp:
    """Return square blocks, one for each of as few cores as possible."""
    config = MatmulConfig(
        type=MatmulProgram.MULTICAST_2D, in0_block_w=2, out_subblock_h=4 if side == 2 else 1, out_subblock_w=2
    )
    return replace(base, grid=Grid(rows, columns), spread=Spread.BLOCKS, config=config)


def _tile_by_tile(base: DeviceOp) -> DeviceOp:
    """Return output tiles over all cores, each of which reads all operands of each tile."""
    config = MatmulConfig(type=MatmulProgram.REUSE, in0_block_w=1, out_block_h=1, out_block_w=1)
    return replace(base, spread=Spread.FLAT, config=config)


def _config(kind: MatmulProgram, height: int, width: int, depth: int, sums: Sums = Sums.BF16) -> MatmulConfig:
    """Return output blocks of these tiles, with the first subblocks that divide them, and this step along K."""
    most = _WIDE_SUBBLOCK if sums is Sums.F32 else math.inf
    fitting = ((h, w) for h, w in _SUBBLOCKS if height % h == 0 and width % w == 0 and h * w <= most)
    rows, columns = next(fitting)
    return MatmulConfig(
        type=kind,
        in0_block_w=depth,
        out_block_h=height,
        out_block_w=width,
        out_subblock_h=rows,
        out_subblock_w=columns,
    )


def _out_blocks(m: int, n: int) -> Iterator[tuple[int, int]]:
    """Yield blocks that divide a core's output, largest first, of equal ones the squarest."""
    divisors = [[d for d in range(1, extent + 1) if extent % d == 0] for extent in (m, n)]
    squarest: dict[int, tuple[int, int]] = {}
    for h in divisors[0]:
        for w in divisors[1]:
            other = squarest.get(h * w)
            if other is None or max(h, w) / min(h, w) <= max(other) / min(other):
                squarest[h * w] = h, w
    for size in sorted(squarest, reverse=True):
        yield squarest[size]
