"""Program configurations of matrix products: spread over the cores, and block sizes that fit L1."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ttstack.ops.base import Op
from ttstack.ops.types import DType
from ttstack.program.device_op import SPREADS, DeviceOp, Spread
from ttstack.program.footprint import dst_tiles
from ttstack.program.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.program.matmul_blocks import per_core
from ttstack.program.matmul_buffers import MatmulBuffers
from ttstack.system_desc import ChipDesc

MULTICAST_2D = "MatmulMultiCoreReuseMultiCastProgramConfig"
MULTICAST_1D = "MatmulMultiCoreReuseMultiCast1DProgramConfig"
REUSE = "MatmulMultiCoreReuseProgramConfig"
DRAM_SHARDED = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"

_TYPES = {
    Spread.ROWS: MULTICAST_1D,
    Spread.COLUMNS: MULTICAST_1D,
    Spread.BLOCKS: MULTICAST_2D,
    Spread.FLAT: REUSE,
}


@dataclass(frozen=True)
class _Choice:
    """Output blocks of `height` x `width` tiles, in steps of `depth` tiles along K, and the bytes that they take."""

    height: int
    width: int
    depth: int
    nbytes: int
    traffic: int
    """Tiles read, partial output tiles written, and tiles of the first block, which nothing hides."""


def matmul_config(
    op: Op, operands: Sequence[Layout], result: Layout, grid: Grid, chip: ChipDesc, l1_budget: int
) -> tuple[Spread, dict[str, Any]] | None:
    """The spread, and the blocks with the least traffic that fit `l1_budget` bytes; None where none do."""
    base = _spread_out(op, tuple(operands), result, grid)
    fitting = [choice for choice in _choices(base, chip) if choice.nbytes <= l1_budget]
    if not fitting:
        return None
    return base.spread, _config(base, min(fitting, key=lambda choice: choice.traffic), chip)


def smallest_matmul(op: Op, operands: Sequence[Layout], result: Layout, grid: Grid, chip: ChipDesc) -> int:
    """Bytes of buffers that the op needs with the smallest blocks."""
    base = _spread_out(op, tuple(operands), result, grid)
    return min(choice.nbytes for choice in _choices(base, chip))


def _spread_out(op: Op, operands: tuple[Layout, ...], result: Layout, grid: Grid) -> DeviceOp:
    base = DeviceOp(op=op, operands=operands, results=(result,) * len(op.results), grid=grid)
    spread = _required_spread(base)
    if spread is None:
        batched = any(loop is not None for loop in base.dispatch.inputs[1].loops[:-2])
        choices = [Spread.FLAT] if batched else [Spread.BLOCKS, Spread.ROWS, Spread.COLUMNS]
        return min((replace(base, spread=choice) for choice in choices), key=_burden)
    return replace(base, spread=spread)


def _required_spread(base: DeviceOp) -> Spread | None:
    """What sharded tensors ask for, the result first."""
    for layout in (*base.results, *base.operands[:2]):
        if layout.sharded and layout.in_l1:
            return SPREADS[layout.memory_layout]
    return Spread.COLUMNS if _streams_weights(base) else None


def _streams_weights(base: DeviceOp) -> bool:
    weights = base.operands[1]
    return weights.sharded and weights.memory_space is MemorySpace.DRAM


def _burden(candidate: DeviceOp) -> tuple[int, int]:
    """Output tiles of the busiest core, then tiles that it must be sent."""
    sent = sum(candidate.core_pages(which) for which in candidate.dispatch.inputs[:2])
    return candidate.core_units, sent


def _choices(base: DeviceOp, chip: ChipDesc) -> Iterator[_Choice]:
    m, n = per_core(base)
    k = base.dispatch.steps
    buffers = MatmulBuffers.of(base)
    depths = _depths(base, chip)
    for height, width in _out_blocks(m, n):
        reads = k * (m * -(-n // width) + n * -(-m // height))
        for depth in depths:
            k_blocks = -(-k // depth)
            nbytes = buffers.nbytes(height, width, depth, k_blocks)
            first = (height + width) * depth
            yield _Choice(height, width, depth, nbytes, reads + m * n * k_blocks + first)


def _depths(base: DeviceOp, chip: ChipDesc) -> list[int]:
    """Steps along K, up to twice what Dst holds: divisors of K, or of the K that a core's shard of in0 holds."""
    k, in0 = base.dispatch.steps, base.operands[0]
    if in0.sharded and in0.memory_layout is not MemoryLayout.HEIGHT_SHARDED:
        k = min(k, in0.shard(base.op.operands[0])[1])
    return [d for d in range(min(k, chip.dst_tiles), 0, -1) if k % d == 0]


def _out_blocks(m: int, n: int) -> Iterator[tuple[int, int]]:
    """The whole output of a core, then halves of the longer side, down to one tile."""
    yield m, n
    while m * n > 1:
        m, n = (-(-m // 2), n) if m >= n else (m, -(-n // 2))
        yield m, n


def _config(base: DeviceOp, choice: _Choice, chip: ChipDesc) -> dict[str, Any]:
    m, n = per_core(base)
    kind = DRAM_SHARDED if _streams_weights(base) else _TYPES[base.spread]
    config = {"type": kind, "in0_block_w": choice.depth, "per_core_M": m, "per_core_N": n}
    if (choice.height, choice.width) != (m, n):
        config |= {"out_block_h": choice.height, "out_block_w": choice.width}
    height, width = subblock(choice.height, choice.width, _dst_limit(base, chip))
    return config | {"out_subblock_h": height, "out_subblock_w": width}


def _dst_limit(base: DeviceOp, chip: ChipDesc) -> int:
    """Output tiles that half of Dst holds: half as many with 32-bit sums."""
    wide = base.results[0].dtype in {DType.F32, DType.SI32, DType.UI32}
    return max(dst_tiles(chip) // 2, 1) if wide else dst_tiles(chip)


def subblock(height: int, width: int, limit: int) -> tuple[int, int]:
    """The largest subblock of at most `limit` tiles that divides an output block, the squarest of equal ones."""
    fitting = ((h, w) for h in _divisors(height, limit) for w in _divisors(width, limit // h))
    return max(fitting, key=lambda hw: (hw[0] * hw[1], -abs(hw[0] - hw[1]), hw[1]))


def _divisors(extent: int, limit: int) -> list[int]:
    return [d for d in range(1, min(extent, limit) + 1) if extent % d == 0]
