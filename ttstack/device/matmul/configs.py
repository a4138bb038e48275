"""Program configurations of matmuls: spread over the cores, and block sizes that fit L1."""

import math
from collections.abc import Iterable, Iterator

from ttstack.device.circular_buffers.convolution import ConvolutionBuffers
from ttstack.device.circular_buffers.matmul import buffers_of
from ttstack.device.device_op import SPREADS, DeviceOp, Spread
from ttstack.device.halo import channel_pieces
from ttstack.device.kernel_class import is_batched, is_matmul, is_product, keeps_rows, over_banks
from ttstack.device.layout import MemoryLayout
from ttstack.device.matmul.rules import in_shards, matrix_rows, subblock_tiles, whole_matrices, whole_rows
from ttstack.device.matmul_blocks import per_core
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops.loops import Loops
from ttstack.ops.types import tiles
from ttstack.ops.windows import WindowOp
from ttstack.system_desc import ChipDesc

_PROGRAMS = {
    Spread.ROWS: MatmulProgram.MULTICAST_1D,
    Spread.COLUMNS: MatmulProgram.MULTICAST_1D,
    Spread.BLOCKS: MatmulProgram.MULTICAST_2D,
    Spread.FLAT: MatmulProgram.REUSE,
}
TRAFFIC_SLACK = 1.25
"""Blocks with up to this factor of the minimum traffic are kept, as a small first block can make them fastest."""


def matmul_spreads(dispatch: Loops) -> tuple[Spread, ...]:
    """Return the spreads of a matmul of interleaved tensors."""
    return (Spread.FLAT,) if is_batched(dispatch) else (Spread.BLOCKS, Spread.ROWS, Spread.COLUMNS)


def spreads(base: DeviceOp) -> tuple[Spread, ...]:
    """Return the spreads of an op with its layouts: for a matmul the one that its shards need, otherwise all."""
    if not is_matmul(base.dispatch):
        return (base.spread,)
    for layout in (*base.results, *base.operands[:2]):
        if layout.sharded and layout.in_l1:
            return (SPREADS[layout.memory_layout],)
    return (Spread.COLUMNS,) if over_banks(base.operands[1]) else matmul_spreads(base.dispatch)


def spread_configs(base: DeviceOp, chip: ChipDesc) -> Iterator[MatmulConfig]:
    """Yield configurations of a matmul with given grid and spread, fewest bytes first.

    Configurations with much more traffic than others without more L1 are omitted.
    """
    choices = sorted((nbytes, _traffic(base, *blocks), blocks) for *blocks, nbytes in _choices(base, chip))
    least = math.inf
    for _, traffic, (height, width, depth) in choices:
        least = min(least, traffic)
        if traffic <= TRAFFIC_SLACK * least:
            yield _config(base, height, width, depth, chip)


def _traffic(base: DeviceOp, height: int, width: int, depth: int) -> int:
    """Return the tiles read, partial output tiles written, and tiles of the first block, which nothing hides."""
    (m, n), k = per_core(base), base.dispatch.steps
    reads = k * (m * -(-n // width) + n * -(-m // height))
    return reads + m * n * -(-k // depth) + (height + width) * depth


def block_steps(device_op: DeviceOp) -> int:
    """Return the tiles along K that full blocks of a matmul share: all of K, or those of a core's in0 shard.

    For a convolution, those of a window in a core's channels.
    """
    k, in0 = device_op.dispatch.steps, device_op.operands[0]
    if isinstance(op := device_op.op, WindowOp):
        rows = 1 if device_op.spread is Spread.COLUMNS else op.sliding.taps // op.sliding.windows[-1].kernel
        return max(rows * window_tiles(device_op), 1)
    if in0.sharded and in0.memory_layout is not MemoryLayout.HEIGHT_SHARDED:
        k = min(k, in0.shard(device_op.op.operands[0])[1])
    return k


def window_tiles(device_op: DeviceOp) -> int:
    """Return the tiles of a row of a window in a core's channels.

    Of a full window if channels are divided over cores.
    """
    op = device_op.op
    assert isinstance(op, WindowOp), op.mnemonic
    side = op.sliding.taps if device_op.spread is Spread.COLUMNS else op.sliding.windows[-1].kernel
    return tiles(side * -(-op.sliding.channels // channel_pieces(device_op)))


def _choices(base: DeviceOp, chip: ChipDesc) -> Iterator[tuple[int, int, int, int]]:
    """Yield height and width of output blocks in tiles, their depth along K, and their bytes."""
    buffers = buffers_of(base, chip)
    in_windows = isinstance(buffers, ConvolutionBuffers)
    depths = [_window_depth(base)] if in_windows else _depths(base, chip)
    m, n = per_core(base)
    sharded = is_product(base.op) and in_shards(base.results[0])
    blocks = [(height, n) for height in reversed(_divisors(m, m))] if in_windows else _block_sizes(base, m, n)
    for height, width in blocks:
        if sharded and not whole_rows(height, width, n):
            continue
        for depth in depths:
            yield height, width, depth, buffers.nbytes(height, width, depth, -(-base.dispatch.steps // depth))


def _block_sizes(base: DeviceOp, m: int, n: int) -> Iterable[tuple[int, int]]:
    """Return height and width of output blocks that the op's program supports."""
    if over_banks(base.operands[1]):
        return [(m, n)]
    if keeps_rows(base.op):
        return [(height, n) for height in reversed(_divisors(m, m)) if whole_matrices(base, height)]
    return _out_blocks(m, n)


def _window_depth(base: DeviceOp) -> int:
    """Return the only step of a convolution: a row of a window, or all of it if channels are divided over cores."""
    return max(min(window_tiles(base), base.dispatch.steps), 1)


def _depths(base: DeviceOp, chip: ChipDesc) -> list[int]:
    """Return steps along K, up to twice the size of Dst; a matmul's divide K, and a core's part of it."""
    k = math.gcd(block_steps(base), base.dispatch.steps) if is_product(base.op) else block_steps(base)
    return [d for d in range(min(k, chip.dst_tiles), 0, -1) if k % d == 0]


def _out_blocks(m: int, n: int) -> Iterator[tuple[int, int]]:
    """Yield the full output of a core, then halves of the longer side, or its next divisor, down to one tile."""
    yield m, n
    height, width = m, n
    while height * width > 1:
        if height >= width:
            height = _divisors(m, height // 2)[-1]
        else:
            width = _divisors(n, width // 2)[-1]
        yield height, width


def _config(base: DeviceOp, height: int, width: int, depth: int, chip: ChipDesc) -> MatmulConfig:
    m, n = per_core(base)
    whole = (height, width) == (m, n)
    row = n if is_product(base.op) and in_shards(base.results[0]) else None
    unbroken = math.gcd(height, matrix_rows(base)) if keeps_rows(base.op) else height
    rows, columns = subblock(unbroken, width, subblock_tiles(base, chip), row)
    return MatmulConfig(
        type=MatmulProgram.DRAM_SHARDED if over_banks(base.operands[1]) else _PROGRAMS[base.spread],
        in0_block_w=depth,
        per_core_M=m,
        per_core_N=n,
        out_block_h=None if whole else height,
        out_block_w=None if whole else width,
        out_subblock_h=rows,
        out_subblock_w=columns,
    )


def subblock(height: int, width: int, limit: int, per_core_n: int | None = None) -> tuple[int, int]:
    """Return the largest subblock of at most `limit` tiles that divides an output block, the squarest of equal ones.

    For shards with rows of `per_core_n` tiles, it spans them or has one row.
    """
    fitting = [(h, w) for h in _divisors(height, limit) for w in _divisors(width, limit // h)]
    if per_core_n is not None:
        fitting = [(h, w) for h, w in fitting if whole_rows(h, w, per_core_n)]
    return max(fitting, key=lambda hw: (hw[0] * hw[1], -abs(hw[0] - hw[1]), hw[1]))


def _divisors(extent: int, limit: int) -> list[int]:
    return [d for d in range(1, min(extent, limit) + 1) if extent % d == 0]
