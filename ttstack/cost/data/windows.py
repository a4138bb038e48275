"""Operands with a sliding window: each core gathers the windows of its results from its own data."""

from ttstack.cost.data.multicast import multicast_cycles
from ttstack.cost.transfers import Stream, pieces
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.halo import Halo, channel_pieces
from ttstack.device.kernel_class import is_contraction
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.loops import IndexingMap
from ttstack.ops.types import TILE
from ttstack.system_desc import ChipDesc


def window_stream(device_op: DeviceOp, which: IndexingMap, halo: Halo, rereads: float, chip: ChipDesc) -> Stream:
    """Return a thread's stream: window copies from local L1, once for each of `rereads`, and their sends.

    Cores that hold different channels of the same pixels each need the windows of all of them.
    """
    if not is_contraction(device_op.dispatch):
        return Stream(_pool_cycles(device_op, halo, chip), own_thread=True)
    layout, sliding = device_op.operands[0], halo.sliding
    seen = device_op.core_domain[0] * TILE * sliding.taps * halo.pixel_bytes * rereads
    copied = chip.noc.transfer_cycles(seen, sliding.run * halo.pixel_bytes, chip.noc.local, 0.0)
    if channel_pieces(device_op) == 1:
        return Stream(copied, own_thread=True)
    share = device_op.core_pages(which) * layout.dtype.tile_bytes * rereads
    sent = multicast_cycles(device_op, which, share, int(rereads), chip)
    return Stream(copied + sent, noc_bytes=share * pieces(device_op, which), own_thread=True)


def _pool_cycles(device_op: DeviceOp, halo: Halo, chip: ChipDesc) -> float:
    """Return the cycles in which a pool reads its windows, one after the other: each read is awaited.

    Pixels that lie side by side are read at once where their channels fill the rows of the buffer.
    """
    sliding, local = halo.sliding, chip.noc.local
    run = sliding.run if sliding.channels % TILE == 0 else 1
    each = local.latency_cycles + chip.noc.transfer_cycles(run * halo.pixel_bytes, run * halo.pixel_bytes, local, 0.0)
    return device_op.core_domain[0] * TILE * sliding.taps / run * each


def is_windowed_product(device_op: DeviceOp) -> bool:
    """Return True if it multiplies windows that cores assemble, like a convolution."""
    return Halo.of(device_op) is not None and is_contraction(device_op.dispatch)


def tilize_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the cycles to make tiles of windows, which are put together as rows.

    Each core does those of its channels.
    """
    if not is_windowed_product(device_op):
        return 0.0
    tiles = device_op.core_pages(device_op.dispatch.inputs[0]) / channel_pieces(device_op)
    return tiles * MatmulBlocks.of(device_op).column_blocks * chip.movement.tilize_cycles


def copy_cycles(device_op: DeviceOp, copied: float, weights: float, chip: ChipDesc) -> float:
    """Return the cycles to put the windows of a product together, which take one thread `copied` cycles.

    Two threads do where cores have rows of their own, more than a tile of them in a block, and the one that brings the
    weights is busy with them for less than half as long; it does so before (`tt-metal` PR 27731).
    """
    readers = chip.movement.window_readers
    rows = MatmulBlocks.of(device_op).out_block_h > 1 and device_op.spread not in (Spread.BLOCKS, Spread.COLUMNS)
    return copied / readers + weights if readers > 1 and rows and copied > readers * weights else copied


def weights_wait_cycles(device_op: DeviceOp, weights: float, math: float, chip: ChipDesc) -> float:
    """Return the cycles in which tiled windows wait for weights, whose reading needs `weights` cycles.

    tt-metal has room for one slice of the weights, unless asked for more (`enable_weights_double_buffer`): the next one
    is read when that is multiplied, while windows become tiles. Where a core has several blocks of rows all slices stay
    there, and come while the first block is computed.
    """
    blocks, tilize = MatmulBlocks.of(device_op).row_blocks, tilize_cycles(device_op, chip)
    beside = tilize if blocks == 1 else (tilize + math) / blocks
    return max(weights - beside, 0.0)
