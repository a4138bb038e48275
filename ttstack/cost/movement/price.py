"""The terms of a kernel that moves data."""

from collections.abc import Mapping

from ttstack.cost.launch import skew_ns
from ttstack.cost.movement.kernel import Kernel, Side
from ttstack.cost.overlap import soft_maximum
from ttstack.cost.terms import Term
from ttstack.cost.transfers import dram_cycles
from ttstack.system_desc import ChipDesc


def movement_terms(kernel: Kernel, chip: ChipDesc) -> tuple[dict[Term, float], Mapping[Term, list[float]]]:
    """Nanoseconds by term, and of the streams what overlaps: the first block is read and the last written alone."""
    movement, ns = chip.movement, chip.cycles_to_ns(1)
    first = 1 / max(kernel.blocks, 1.0)
    dram = chip.dram
    reads = _side_cycles(kernel.read, kernel.blocks, dram.interleaved_read_bytes_per_second, chip)
    writes = _side_cycles(kernel.write, kernel.blocks, dram.interleaved_write_bytes_per_second, chip)
    both = _channel_cycles(kernel.read, chip) + _channel_cycles(kernel.write, chip)
    from_dram = kernel.read.dram_bytes > 0
    start = kernel.before + movement.start_cycles + (movement.math_start_cycles if kernel.math else 0.0)
    terms = {
        Term.COMPUTE: kernel.math * kernel.blocks * ns,
        Term.UNPACK: 0.0,
        Term.PACK: 0.0,
        Term.DRAM: max(reads if from_dram else 0.0, both) * ns,
        Term.NOC: 0.0 if from_dram else reads * ns,
        Term.WRITER: writes * ns,
        Term.WAIT: reads * first * ns,
        Term.TAIL: writes * first * ns,
        Term.FILL: start * ns,
        Term.SKEW: skew_ns(kernel.cores, chip),
        Term.THROTTLE: 0.0,
    }
    rest = 1 - first
    shared = both * rest if kernel.read.dram_bytes and kernel.write.dram_bytes else 0.0
    lanes = {
        Term.COMPUTE: [terms[Term.COMPUTE]],
        Term.DRAM: [max(reads * rest if from_dram else 0.0, shared) * ns],
        Term.NOC: [terms[Term.NOC] * rest],
        Term.WRITER: [writes * rest * ns],
    }
    return terms, lanes


def _side_cycles(side: Side, blocks: float, rate: float, chip: ChipDesc) -> float:
    """Cycles of one direction: of the core's thread, of the networks, and of the memory."""
    memory = max(dram_cycles(side.dram_bytes, rate, chip), _page_cycles(side, chip))
    exposed = side.exposed_cycles(chip) * blocks
    contended = soft_maximum((exposed, side.network), chip.movement.contention_exponent)
    return soft_maximum((max(side.cycles(chip) * blocks, contended), memory), chip.pipeline.stream_exponent)


def _channel_cycles(side: Side, chip: ChipDesc) -> float:
    """Cycles in which the channels of DRAM are taken: by bytes, or by pages that are too short to matter."""
    rate = chip.movement.dram_fraction * chip.dram.peak_bytes_per_second
    return max(dram_cycles(side.dram_bytes, rate, chip), _page_cycles(side, chip))


def _page_cycles(side: Side, chip: ChipDesc) -> float:
    return side.dram_pages / chip.dram.num_channels * chip.dram.page_cycles
