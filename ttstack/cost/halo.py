"""The kernel before that of a convolution or pool: each core gets the pixels that its windows see, in rows."""

from dataclasses import dataclass

from ttstack.cost.data_stream import LOCAL, Stream
from ttstack.cost.launch import fill_ns, gap_ns, skew_ns
from ttstack.cost.overlap import soft_maximum
from ttstack.cost.transfers import dram_cycles, link_kind, transfer_cycles
from ttstack.device.device_op import DeviceOp
from ttstack.device.halo import Halo, holds_shard
from ttstack.ops.types import TILE, tiles
from ttstack.system_desc import ChipDesc


@dataclass(frozen=True, slots=True)
class HaloStep:
    """Nanoseconds of it, its launches included, and what it moves."""

    ns: float
    stream: Stream


def halo_step(device_op: DeviceOp, chip: ChipDesc) -> HaloStep:
    """tt-metal's halo op: tiles become rows, padding is filled in, and other cores' pixels are fetched.

    It runs once, or once for each slice of an operand that is not sharded as the op runs.
    """
    halo = Halo.of(device_op)
    if halo is None:
        return HaloStep(0.0, LOCAL)
    row = halo.row_bytes
    taken = halo.reach.taken * halo.pixel_bytes
    own, total = _own(device_op, halo, row, chip)
    cycles = (
        own
        + transfer_cycles(taken, row, chip.noc.l1_read, 0.0, chip)
        + transfer_cycles((halo.reach.held - halo.reach.taken) * halo.pixel_bytes, row, chip.noc.local, 0.0, chip)
        + (chip.noc.l1_read.latency_cycles if taken else 0.0)
    )
    busy = soft_maximum((cycles, _untilize_cycles(device_op, halo, chip)), chip.pipeline.stream_exponent)
    kernel = chip.cycles_to_ns(busy) + fill_ns(chip) + skew_ns(device_op.cores, chip)
    moved = total + taken * device_op.cores * halo.slices
    stream = Stream(cycles * halo.slices, 0 if device_op.operands[0].in_l1 else total, moved)
    return HaloStep(halo.slices * (kernel + gap_ns(kernel, chip)), stream)


def _own(device_op: DeviceOp, halo: Halo, row: float, chip: ChipDesc) -> tuple[float, float]:
    """Cycles to read a core's own share in one slice, and the bytes that all cores read; none of a shard."""
    layout, t = device_op.operands[0], device_op.op.operands[0]
    if holds_shard(device_op, layout):
        return 0.0, 0.0
    kind = link_kind(chip, in_l1=layout.in_l1, write=False)
    page = row if layout.sharded else layout.page_bytes(t)
    cycles = transfer_cycles(halo.reach.own * halo.pixel_bytes, page, kind, chip.riscv.page_cycles, chip)
    total = layout.nbytes(t)
    if not layout.in_l1:
        cycles = max(cycles, dram_cycles(total / halo.slices, chip.dram.interleaved_read_bytes_per_second, chip))
    return cycles, total


def _untilize_cycles(device_op: DeviceOp, halo: Halo, chip: ChipDesc) -> float:
    layout = device_op.operands[0]
    each = max(
        chip.matrix.copy_cycles(layout.dtype.bits),
        layout.dtype.tile_bytes / chip.unpack.bytes_per_cycle,
        layout.dtype.tile_bytes / chip.pack.bytes_per_cycle,
    )
    return halo.reach.own / TILE * tiles(halo.channels) * each
