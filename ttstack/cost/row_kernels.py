"""Kernels that pass over rows: norms, softmax and scans; each pass has its own unpacking, packing and handshakes."""

import math
from collections.abc import Iterator

from ttstack.cost.residual import sum_cycles
from ttstack.cost.transfers import dram_cycles
from ttstack.cost.units import vector_cycles
from ttstack.device.configs.rowwise import RowwiseConfig, Sums
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import dst_tiles, parts
from ttstack.device.group_norm import share_of
from ttstack.device.kernel_class import is_rowwise, residual_of
from ttstack.device.layout import Layout
from ttstack.ops.loops import TileWork
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.rotary import RotaryEmbedding
from ttstack.ops.tile_ops import Rate, tile_op
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.system_desc import ChipDesc

_UNEVEN = (5, 7)
"""Tiles that tt-metal takes in no block, though they divide a row."""
_SUMS = (Rate.REDUCE, Rate.REDUCE_MAX)
_COPIES = 4
"""Times that a scan writes or reads its tensor with rows as tiles: to transpose, to add up, to transpose back."""


def row_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles of the core with the most rows: each pass over a row has a start and an end, and work for each tile."""
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
    """What each is a pass over a row: all but the sum with a residual, which is made tile by tile."""
    return device_op.dispatch.work[residual_of(device_op.op) is not None :]


def _wider_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles more for each tile of a row that is told to add up in 32 bits.

    What passes hand on to the next is twice as large to pack; sums are a tile a row, and the last packs the result.
    """
    config = device_op.config
    if not isinstance(config, RowwiseConfig) or config.sums is not Sums.F32:
        return 0.0
    handed_on = sum(op.count for op in _passes(device_op) if tile_op(op.name).rate not in _SUMS) - 1
    return handed_on * (DType.F32.tile_bytes - DType.BF16.tile_bytes) / chip.pack.bytes_per_cycle


def _scan_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Element after element; tt-metal transposes, so that each row of the scanned dimension is a tile of its own."""
    steps = device_op.core_units * device_op.core_steps * TILE
    padded = TILE * device_op.operands[0].nbytes(device_op.op.operands[0])
    moved = dram_cycles(padded, chip.dram.interleaved_write_bytes_per_second, chip)
    return steps * chip.rows.scan_cycles + _COPIES * moved


def weights_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles in which all cores get weights from DRAM that nothing hides.

    All of them want the same pages at the same time, a block after the other; one channel has each page. Angles of
    rotary embeddings are read as rows come, masks of groups while sums of others are exchanged.
    """
    if not is_rowwise(device_op.dispatch) or isinstance(device_op.op, RotaryEmbedding | GroupNorm):
        return 0.0
    rate = chip.dram.peak_bytes_per_second / chip.dram.num_channels / chip.clock_hz
    served = 0.0
    for t, layout in _weights(device_op):
        pages = layout.nbytes(t) / layout.page_bytes(t) / device_op.row_cores
        together = block_tiles(math.ceil(pages), chip) if layout.tiled else chip.dram.num_channels
        each = max(layout.page_bytes(t) / rate, chip.dram.page_cycles)
        served += max(pages / together, 1) * each
    return served * device_op.cores / device_op.row_cores * chip.rows.weights_fraction


def _weights(device_op: DeviceOp) -> Iterator[tuple[TensorType, Layout]]:
    """Operands in DRAM that every row needs."""
    for which, t, layout in parts(device_op)[1 : len(device_op.operands)]:
        if not layout.in_l1 and set(which.loops).isdisjoint(device_op.dispatch.parallel):
            yield t, layout


def block_tiles(tiles: int, chip: ChipDesc) -> int:
    """Tiles of a row that are worked on together: what divides it and fits Dst."""
    fitting = (n for n in range(min(dst_tiles(chip), tiles), 0, -1) if tiles % n == 0 and n not in _UNEVEN)
    return next(fitting, 1)
