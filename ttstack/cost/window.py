"""Operands under a sliding window: each core reads its part once, and copies the elements of each window."""

import math

from ttstack.cost.multicast import pieces
from ttstack.cost.stream import Stream
from ttstack.cost.transfers import link_kind, transfer_cycles
from ttstack.ops.dispatch import Map
from ttstack.ops.types import TILE, TensorType
from ttstack.ops.windows import WindowOp
from ttstack.program.device_op import DeviceOp
from ttstack.program.layout import Layout
from ttstack.system_desc import ChipDesc


def window_stream(
    device_op: DeviceOp, which: Map, t: TensorType, layout: Layout, rereads: float, chip: ChipDesc
) -> Stream:
    """What one thread does: read the core's part, take what windows share with it from neighbours, copy windows.

    tt-metal's halo op does the second; windows are put together again for each of `rereads`.
    """
    op = device_op.op
    assert isinstance(op, WindowOp), op.mnemonic
    element = layout.dtype.tile_bytes / TILE**2
    own, shared = _parts(device_op, op, which, t, layout)
    seen = 0.0 if op.is_pointwise else device_op.core_pages(which) * layout.dtype.tile_bytes * rereads
    kind = link_kind(chip, in_l1=layout.in_l1, write=False)
    read = transfer_cycles(own, layout.page_bytes(t), kind, chip.riscv.page_cycles)
    taken = transfer_cycles(shared, op.channels * element, chip.noc.l1_read, 0.0)
    copied = transfer_cycles(seen, op.run * element, chip.noc.local, 0.0)
    senders = pieces(device_op, which)
    total = own * senders
    return Stream(read + taken + copied, 0 if layout.in_l1 else total, total + shared * senders, own_thread=True)


def _parts(device_op: DeviceOp, op: WindowOp, which: Map, t: TensorType, layout: Layout) -> tuple[float, float]:
    """Bytes of the core with the most work: its share of the operand, and what it has in common with neighbours."""
    loops = [i for i in device_op.dispatch.parallel if i in which.loops]
    shares = [device_op.core_domain[i] / max(device_op.dispatch.domain[i], 1) for i in loops]
    nbytes = layout.nbytes(t)
    own = min(nbytes, nbytes * math.prod(shares))
    halo = op.halo() * math.prod(shares[1:]) * nbytes / max(t.size, 1)
    return own, min(halo, nbytes - own)
