"""Kernels that pass over rows: norms, softmax and scans.

Each pass has its own unpacking, packing and handshakes. A norm with a residual adds it first; cores that share rows
gather their parts of each sum, add them up, and send the sums to all of them.
"""

import math
from collections.abc import Iterator, Sequence

from ttstack.cost.math.work import Work, tile_cycles, vector_cycles
from ttstack.device.circular_buffers.rowwise import read_ahead
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.footprint import dst_tiles, parts, row_block
from ttstack.device.group_norm import share_of
from ttstack.device.kernel_class import is_local, residual_of, row_passes, sum_dtype, wide_sums
from ttstack.device.layout import Layout
from ttstack.ops.loops import TileWork
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.rotary import RotaryEmbedding
from ttstack.ops.tile_ops import Rate, tile_op
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.system_desc import ChipDesc

_UNEVEN = (5, 7)
"""Tile counts that tt-metal does not use as a block, although they divide a row."""
_SUMS = (Rate.REDUCE, Rate.REDUCE_MAX)
_TILE_RANK = 2
"""Dimensions of a tile."""
_COPIES = 4
"""Times that a scan writes or reads its tensor with dimensions swapped: to swap them, to add up, to swap them back."""


def rowwise_work(device_op: DeviceOp, chip: ChipDesc) -> Work:
    """Return the work of a norm, softmax or scan, with its waits for weights and for sums of other cores."""
    weights, exchange = _weights_cycles(device_op, chip), _exchange_cycles(device_op, chip)
    return Work(_row_cycles(device_op, chip), 0.0, 0.0, weights=weights, exchange=exchange)


def _row_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the cycles of the core with the most rows: start and end of each pass, and work per tile."""
    if any(tile_op(op.name).scans for op in device_op.dispatch.work):
        return _scan_cycles(device_op, chip)
    work, dtype = _passes(device_op), device_op.operands[0].dtype
    passes = sum(op.count for op in work)
    functions = sum(
        op.count * vector_cycles(op.name, dtype, chip) for op in work if tile_op(op.name).rate is Rate.FUNCTION
    )
    if isinstance(device_op.op, RotaryEmbedding):
        passes *= chip.rows.rotary_factor
    each = passes * chip.rows.tile_cycles + functions + _wider_cycles(device_op, chip)
    if isinstance(device_op.op, GroupNorm):  # group after group, over all tiles that have some of its channels
        share = share_of(device_op, device_op.op)
        return share.groups * share.samples * passes * chip.rows.pass_cycles + share.visits * each
    rows = device_op.core_units * (passes * chip.rows.pass_cycles + device_op.core_steps * each)
    return rows + sum_cycles(device_op, chip)


def _passes(device_op: DeviceOp) -> tuple[TileWork, ...]:
    """Return the passes over a row: all ops except the residual addition, which runs tile by tile."""
    return device_op.dispatch.work[residual_of(device_op.op) is not None :]


def _wider_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the extra cycles for each tile of a row that is accumulated in 32 bits.

    What passes hand on to the next is twice as large to pack; sums are a tile a row, and the last packs the result.
    """
    if not wide_sums(device_op):
        return 0.0
    handed_on = sum(op.count for op in _passes(device_op) if tile_op(op.name).rate not in _SUMS) - 1
    return handed_on * (DType.F32.tile_bytes - DType.BF16.tile_bytes) / chip.pack.bytes_per_cycle


def _scan_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Tile after tile along the scanned dimension, which tt-metal swaps with the first if it is one of the last three.

    Swapped with rows or columns, each row of the scanned dimension is a tile of its own; swapped with the dimension
    before them, tiles stay whole (`accumulation_common.cpp`).
    """
    dispatch = device_op.dispatch
    from_last = len(dispatch.domain) - min(dispatch.reductions, default=0)
    padding = TILE if from_last <= _TILE_RANK else 1
    copies = _COPIES if from_last <= _TILE_RANK + 1 else 0
    steps = device_op.core_units * device_op.core_steps * padding
    padded = padding * device_op.operands[0].nbytes(device_op.op.operands[0])
    moved = chip.cycles_at_rate(padded, chip.dram.interleaved_write_bytes_per_second)
    return steps * chip.rows.scan_cycles + copies * moved


def _weights_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the cycles in which all cores get weights from DRAM that nothing hides.

    All of them want the same pages at the same time, a block after the other; one channel has each page. Angles of
    rotary embeddings are read as rows come, masks of groups while sums of others are exchanged.
    """
    if isinstance(device_op.op, RotaryEmbedding | GroupNorm):
        return 0.0
    rate = chip.dram.peak_bytes_per_second / chip.dram.num_channels / chip.clock_hz
    served = 0.0
    for t, layout in _weights(device_op):
        pages = layout.nbytes(t) / layout.page_bytes(t) / device_op.row_cores
        together = _block_tiles(math.ceil(pages), chip) if layout.tiled else chip.dram.num_channels
        each = max(layout.page_bytes(t) / rate, chip.dram.page_cycles)
        served += max(pages / together, 1) * each
    return served * device_op.cores / device_op.row_cores * chip.rows.weights_fraction


def _weights(device_op: DeviceOp) -> Iterator[tuple[TensorType, Layout]]:
    """Return the operands in DRAM that every row needs."""
    for which, t, layout in parts(device_op)[1 : len(device_op.operands)]:
        if not layout.in_l1 and set(which.loops).isdisjoint(device_op.dispatch.parallel):
            yield t, layout


def _block_tiles(tiles: int, chip: ChipDesc) -> int:
    """Return the tiles of a row that are processed together: the largest divisor that fits Dst."""
    fitting = (n for n in range(min(dst_tiles(chip), tiles), 0, -1) if tiles % n == 0 and n not in _UNEVEN)
    return next(fitting, 1)


def sum_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the cycles of the core with the most rows to add the residual; 0 without a residual.

    The loop of tt-metal's kernels is that of the binary kernel, tile after tile: unpacked, added, packed into a buffer
    in the format of sums. Rows that do not fit are added up anew in each pass over them.
    """
    if (residual := residual_of(device_op.op)) is None:
        return 0.0
    layouts, work = (device_op.operands[0], device_op.operands[residual]), TileWork("add", (0, residual))
    unpacked = sum(layout.dtype.tile_bytes for layout in layouts) / chip.unpack.bytes_per_cycle
    packed = sum_dtype(device_op).tile_bytes / chip.pack.bytes_per_cycle
    each = (
        tile_cycles(work, layouts[0].dtype, device_op.fidelity, chip),
        max(unpacked, chip.unpack.min_cycles_per_tile) + chip.unpack.page_cycles,
        packed,
    )
    times = 1 if _is_whole(device_op) else row_passes(device_op.dispatch)
    return device_op.core_units * device_op.core_steps * times * chip.pipeline.overlap_units(each)


def late_share(device_op: DeviceOp) -> float:
    """Return the share of operands for which a core waits, as it prefetches few blocks of its next row."""
    residual = residual_of(device_op.op)
    if residual is None or not _is_whole(device_op):
        return 0.0
    which = device_op.dispatch.inputs[residual]
    if is_local(device_op, which, device_op.op.operands[residual], device_op.operands[residual]):
        return 0.0
    return 1 - min(read_ahead(device_op) / max(device_op.core_steps, 1), 1)


def _is_whole(device_op: DeviceOp) -> bool:
    return row_block(device_op) == device_op.core_steps


def _exchange_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the cycles in which cores that share a row wait for its sums; 0 if cores have separate rows.

    tt-metal's sharded norms: each core adds up its part; the sums of some rows each are gathered by the cores that
    share them, and all sums multicast. Width shards on several rows of cores take a second stage, down a column.
    """
    if isinstance(device_op.op, GroupNorm):
        return _group_exchange_cycles(device_op, device_op.op, chip)
    if device_op.row_cores <= 1:
        return 0.0
    across = device_op.grid.cols > 1
    gathers = [(device_op.row_cores, across)]
    if device_op.spread is Spread.COLUMNS and device_op.row_cores > device_op.grid.cols:
        gathers = [(device_op.grid.cols, across), (math.ceil(device_op.row_cores / device_op.grid.cols), False)]
    return _sum_count(device_op) * line_exchange_cycles(device_op.core_units, gathers, chip)


def line_exchange_cycles(rows: int, gathers: Sequence[tuple[int, bool]], chip: ChipDesc) -> float:
    """Return the cycles until all cores of a row or column have the sums of `rows` tiles.

    Each reads its share of the tiles from all of them, one after the other, and sends the sums back.
    """
    noc, gathered = chip.noc, 0.0
    for cores, across in gathers:
        read = noc.batch_cycles(1, _TILE, noc.l1_read, _line_latency(across, chip)) + chip.riscv.page_cycles
        gathered += chip.rows.stage_cycles + math.ceil(rows / cores) * cores * read
    return gathered + _back_cycles(rows, chip)


def _group_exchange_cycles(device_op: DeviceOp, op: GroupNorm, chip: ChipDesc) -> float:
    """Group after group: one core reads a number of each that shares it, one after the other, and its own too."""
    share, read = share_of(device_op, op), chip.noc.l1_read
    grid = device_op.grid
    wait = read.latency_cycles if min(grid.rows, grid.cols) > 1 else _line_latency(grid.cols > 1, chip)
    gathered = chip.rows.stage_cycles + share.sharing * (wait + read.issue_cycles)
    return share.groups * share.samples * _sum_count(device_op) * (gathered + _back_cycles(1, chip))


def _line_latency(across: bool, chip: ChipDesc) -> float:
    """Return the cycles from a request to another core of the same row, or of the same column, to its answer."""
    return chip.noc.latency_cycles(chip.noc.l1_read, rows=not across, columns=across)


_TILE = DType.BF16.tile_bytes


def _sum_count(device_op: DeviceOp) -> int:
    """Sums that are exchanged of each row."""
    return sum(math.ceil(op.count) for op in device_op.dispatch.work if op.name.startswith("reduce_"))


def _back_cycles(rows: int, chip: ChipDesc) -> float:
    """Return the cycles to return this number of summed rows to all cores."""
    return chip.rows.stage_cycles + rows * _TILE / chip.noc.bytes_per_cycle(chip.noc.multicast)
