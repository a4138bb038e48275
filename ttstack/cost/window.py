"""Operands under a sliding window: each core reads its part once, then copies the elements of each window."""

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
    """Both are the work of one thread; windows are put together again for each of `rereads`."""
    op = device_op.op
    assert isinstance(op, WindowOp), op.mnemonic
    share = _core_bytes(device_op, op, which, t, layout)
    kind = link_kind(chip, in_l1=layout.in_l1, write=False)
    read = transfer_cycles(share, layout.page_bytes(t), kind, chip.riscv.page_cycles)
    element = layout.dtype.tile_bytes / TILE**2
    seen = 0.0 if op.is_pointwise else device_op.core_pages(which) * layout.dtype.tile_bytes * rereads
    copied = transfer_cycles(seen, op.run * element, chip.noc.local, 0.0)
    total = share * pieces(device_op, which)
    return Stream(read + copied, 0 if layout.in_l1 else total, total, own_thread=True)


def _core_bytes(device_op: DeviceOp, op: WindowOp, which: Map, t: TensorType, layout: Layout) -> float:
    """What the core with the most work reads: its share, and what it has in common with its neighbours."""
    loops = [i for i in device_op.dispatch.parallel if i in which.loops]
    extents, domain = device_op.core_domain, device_op.dispatch.domain
    part = math.prod(extents[i] / max(domain[i], 1) for i in loops)
    beside = math.prod(extents[i] / max(domain[i], 1) for i in loops[1:])
    nbytes = layout.nbytes(t)
    return min(nbytes, nbytes * part + op.halo() * beside * nbytes / max(t.size, 1))
