"""The kernel before that of a convolution or pool: each core gets the pixels that its windows see, in rows."""

from dataclasses import dataclass

from ttstack.cost.exposed_time import gap_ns, skew_ns
from ttstack.cost.movement.tiles import untilize_cycles
from ttstack.cost.transfers import LOCAL, Stream
from ttstack.device.device_op import DeviceOp
from ttstack.device.halo import Halo, holds_shard
from ttstack.ops.types import tiles
from ttstack.system_desc import ChipDesc


@dataclass(frozen=True, slots=True)
class Pixels:
    """The pixels of one core: those that it keeps or fills in, and gets from others, and the bytes of each."""

    kept: float
    fetched: float
    nbytes: float


@dataclass(frozen=True, slots=True)
class HaloStep:
    """A halo step: its nanoseconds including launches, and the bytes that it moves."""

    ns: float
    stream: Stream


def halo_step(device_op: DeviceOp, chip: ChipDesc) -> HaloStep:
    """tt-metal's halo op: tiles become rows, padding is filled in, and other cores' pixels are fetched.

    It runs once, or once for each slice of an operand that is not sharded as the op runs.
    """
    halo = Halo.of(device_op)
    if halo is None:
        return HaloStep(0.0, LOCAL)
    layout = device_op.operands[0]
    reach = halo.reach
    pixels = Pixels(reach.held - reach.taken, reach.taken, halo.pixel_bytes)
    fetched, total = _own(device_op, halo, halo.row_bytes, chip)
    rows = tiles(reach.own) if layout.tiled else 0
    kernel = halo_ns(pixels, rows, tiles(halo.channels), device_op.cores, chip) + chip.cycles_to_ns(fetched)
    moved = total + reach.taken * halo.pixel_bytes * device_op.cores * halo.slices
    stream = Stream(0.0, 0 if layout.in_l1 else total, moved)
    return HaloStep(halo.slices * (kernel + gap_ns(kernel, chip)), stream)


def halo_ns(pixels: Pixels, rows: int, wide: int, cores: int, chip: ChipDesc) -> float:
    """Return the nanoseconds of the kernel that writes pixels row by row, from rows of tiles."""
    movement, noc = chip.movement, chip.noc
    least = movement.pixel_fetch.pixel_cycles if movement.pixel_fetch else 0.0
    each = max(pixels.nbytes / (movement.halo_fraction * noc.link_bytes_per_cycle), least)
    copied = pixels.kept * pixels.nbytes / noc.bytes_per_cycle(noc.local)
    untilized = rows * untilize_cycles(wide, chip)
    start = movement.start_cycles + (movement.math_start_cycles if rows else 0.0)
    busy = chip.pipeline.overlap_streams((copied + pixels.fetched * each, untilized))
    return chip.cycles_to_ns(start + busy) + skew_ns(cores, chip)


def _own(device_op: DeviceOp, halo: Halo, row: float, chip: ChipDesc) -> tuple[float, float]:
    """Return the cycles to read a core's own share in one slice, and the bytes that all cores read; none of a shard."""
    layout, t = device_op.operands[0], device_op.op.operands[0]
    if holds_shard(device_op, layout):
        return 0.0, 0.0
    kind = chip.noc.link(in_l1=layout.in_l1, write=False)
    page = row if layout.sharded else layout.page_bytes(t)
    cycles = chip.noc.transfer_cycles(halo.reach.own * halo.pixel_bytes, page, kind, chip.riscv.page_cycles)
    total = layout.nbytes(t)
    if not layout.in_l1:
        cycles = max(cycles, chip.cycles_at_rate(total / halo.slices, chip.dram.interleaved_read_bytes_per_second))
    return cycles, total
