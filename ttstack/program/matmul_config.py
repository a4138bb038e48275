"""Program configurations of matrix products: how the output spreads over the cores, and block sizes that fit L1."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ttstack.ops.base import Op
from ttstack.ops.types import DType
from ttstack.program.device_op import DeviceOp, Spread, default_fidelity
from ttstack.program.footprint import dst_tiles, footprint
from ttstack.program.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.program.matmul_blocks import per_core
from ttstack.system_desc import ChipDesc

MULTICAST_2D = "MatmulMultiCoreReuseMultiCastProgramConfig"
MULTICAST_1D = "MatmulMultiCoreReuseMultiCast1DProgramConfig"
REUSE = "MatmulMultiCoreReuseProgramConfig"
DRAM_SHARDED = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"

_SPREADS = {
    MemoryLayout.HEIGHT_SHARDED: Spread.ROWS,
    MemoryLayout.WIDTH_SHARDED: Spread.COLUMNS,
    MemoryLayout.BLOCK_SHARDED: Spread.BLOCKS,
}
_TYPES = {
    Spread.ROWS: MULTICAST_1D,
    Spread.COLUMNS: MULTICAST_1D,
    Spread.BLOCKS: MULTICAST_2D,
    Spread.FLAT: REUSE,
}


def matmul_config(
    op: Op, operands: Sequence[Layout], result: Layout, grid: Grid, chip: ChipDesc, l1_budget: int
) -> tuple[Spread, dict[str, Any]] | None:
    """The spread and the largest blocks whose buffers fit `l1_budget` bytes; None where not even the smallest do."""
    base = _spread_out(op, tuple(operands), result, grid)
    for config in _configs(base, chip):
        if footprint(replace(base, config=config), chip) <= l1_budget:
            return base.spread, config | _subblock(base, config, chip)
    return None


def smallest_matmul(op: Op, operands: Sequence[Layout], result: Layout, grid: Grid, chip: ChipDesc) -> int:
    """Bytes of buffers that the op needs with the smallest blocks."""
    base = _spread_out(op, tuple(operands), result, grid)
    return min(footprint(replace(base, config=config), chip) for config in _configs(base, chip))


def _spread_out(op: Op, operands: tuple[Layout, ...], result: Layout, grid: Grid) -> DeviceOp:
    fidelity = default_fidelity(*(layout.dtype for layout in operands[:2]))
    base = DeviceOp(op=op, operands=operands, results=(result,), grid=grid, fidelity=fidelity)
    return replace(base, spread=_spread(base))


def _spread(base: DeviceOp) -> Spread:
    """What sharded tensors ask for, the result first; else the spread that leaves the least to the busiest core."""
    for layout in (*base.results, *base.operands[:2]):
        if layout.sharded and layout.in_l1:
            return _SPREADS[layout.memory_layout]
    if _streams_weights(base):
        return Spread.COLUMNS
    weights = base.dispatch.inputs[1].loops[:-2]
    batched = any(loop is not None for loop in weights)
    choices = [Spread.FLAT] if batched else [Spread.BLOCKS, Spread.ROWS, Spread.COLUMNS]
    return min(choices, key=lambda spread: _burden(replace(base, spread=spread)))


def _burden(candidate: DeviceOp) -> tuple[int, int]:
    """Output tiles of the busiest core, then tiles that it must be sent."""
    sent = sum(candidate.core_pages(which) for which in candidate.dispatch.inputs[:2])
    return candidate.core_units, sent


def _streams_weights(base: DeviceOp) -> bool:
    weights = base.operands[1]
    return weights.sharded and weights.memory_space is MemorySpace.DRAM


def _configs(base: DeviceOp, chip: ChipDesc) -> Iterator[dict[str, Any]]:
    """Configurations from the most L1 to the least: shorter steps along K first, then smaller output blocks."""
    m, n = per_core(base)
    fixed = {"type": _type(base), "per_core_M": m, "per_core_N": n}
    for height, width in _out_blocks(m, n):
        for depth in _depths(base, chip):
            blocks = {} if (height, width) == (m, n) else {"out_block_h": height, "out_block_w": width}
            yield fixed | {"in0_block_w": depth} | blocks


def _type(base: DeviceOp) -> str:
    return DRAM_SHARDED if _streams_weights(base) else _TYPES[base.spread]


def _depths(base: DeviceOp, chip: ChipDesc) -> list[int]:
    """Steps along K, longest first: divisors of K, or of the K that a core's shard of in0 holds."""
    k = base.dispatch.steps
    in0 = base.operands[0]
    if in0.sharded and in0.memory_layout is not MemoryLayout.HEIGHT_SHARDED:
        k = min(k, in0.shard(base.op.operands[0])[1])
    limit = dst_tiles(chip)
    return [d for d in range(min(k, limit), 0, -1) if k % d == 0]


def _out_blocks(m: int, n: int) -> Iterator[tuple[int, int]]:
    """The whole output of a core, then halves of the longer side, down to one tile."""
    while True:
        yield m, n
        if m * n == 1:
            return
        m, n = (-(-m // 2), n) if m >= n else (m, -(-n // 2))


def _subblock(base: DeviceOp, config: dict[str, Any], chip: ChipDesc) -> dict[str, int]:
    """The largest subblock of the output block that fits half of Dst; wide ones, which reuse in0, before tall ones."""
    wide = base.results[0].dtype in (DType.F32, DType.SI32, DType.UI32)
    limit = dst_tiles(chip) // 2 if wide else dst_tiles(chip)
    height, width = (
        config.get("out_block_h", config["per_core_M"]),
        config.get("out_block_w", config["per_core_N"]),
    )
    best = max(
        ((h, w) for h in _divisors(height, limit) for w in _divisors(width, limit // h)),
        key=lambda hw: (hw[0] * hw[1], -abs(hw[0] - hw[1]), hw[1]),
        default=(1, 1),
    )
    return {"out_subblock_h": best[0], "out_subblock_w": best[1]}


def _divisors(extent: int, limit: int) -> list[int]:
    return [d for d in range(1, min(extent, limit) + 1) if extent % d == 0]


__all__ = ["DRAM_SHARDED", "MULTICAST_1D", "MULTICAST_2D", "REUSE", "matmul_config", "smallest_matmul"]
