"""Time that nothing hides: launch and gap, setup, the first block of operands, the last block of results."""

from collections.abc import Sequence
from dataclasses import dataclass

from ttstack.cost.data.shared_memory import read_apart
from ttstack.cost.math.matmul import streams_weights
from ttstack.cost.math.rowwise import late_share
from ttstack.cost.transfers import Stream, pieces
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import parts
from ttstack.device.kernel_class import (
    is_attention,
    is_contraction,
    is_local,
    is_matmul,
    is_paged,
    is_paged_reduction,
    is_rowwise,
    keeps_rows,
)
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.loops import Access
from ttstack.system_desc import ChipDesc

KIB = 1024


@dataclass(frozen=True, slots=True)
class Kernels:
    """Kernels that a program dispatches to its cores."""

    count: int = 5
    """Kernels of a core: two that move data, three that compute."""
    text_bytes: float | None = None
    """Text of all kernels; that of an ordinary op if unknown."""
    groups: int = 1
    """Groups of cores with different kernels."""
    configured: bool = True
    """True if there are circular buffers, semaphores or common arguments."""
    arguments: int = 0
    """Arguments of all kernels of a core that differ from core to core."""
    cores: int = 0
    """Cores that have such arguments."""


def kernels_of(device_op: DeviceOp) -> Kernels:
    """Return the op's kernels: cores that send an operand and cores that receive it run different ones.

    What a product adds to its result comes with the second operand.
    """
    dispatch, sent = device_op.dispatch, (Access.MULTICAST,)
    inputs = dispatch.inputs
    if is_matmul(dispatch):
        inputs, sent = inputs[:2], (Access.MULTICAST, Access.WINDOW)
    split = sum(pieces(device_op, which) < device_op.cores for which in inputs if which.access in sent)
    return Kernels(groups=2**split)


def skew_ns(cores: int, chip: ChipDesc) -> float:
    """Return the nanoseconds between the first and the last core's start."""
    return chip.launch.start_skew_ns * (cores - 1) / max(chip.num_cores - 1, 1)


def launch_ns(chip: ChipDesc, kernels: Kernels = Kernels()) -> float:
    """Return the nanoseconds to launch a program from a trace without overlap; its kernels' text is sent each time."""
    launch = chip.launch
    text = launch.kernel_text_bytes if kernels.text_bytes is None else kernels.text_bytes
    sent = (kernels.groups * text / KIB * launch.ns_per_kib, (kernels.groups - 1) * launch.group_text_ns)
    arguments = kernels.cores * launch.ns_per_core + kernels.arguments * launch.ns_per_runtime_arg
    return launch.base_ns + chip.pipeline.overlap_units(sent) + arguments + _setup_ns(chip, kernels)


def _setup_ns(chip: ChipDesc, kernels: Kernels) -> float:
    """Return the nanoseconds to send kernels and buffers to cores, group by group."""
    launch = chip.launch
    config = launch.config_ns if kernels.configured else 0.0
    return (kernels.count - 1) * launch.ns_per_kernel + config + (kernels.groups - 1) * launch.ns_per_kernel_group


def gap_ns(kernel_ns: float, chip: ChipDesc, kernels: Kernels = Kernels()) -> float:
    """Nanoseconds between kernels of a trace: text and arguments are sent while the kernel before runs.

    Where a core has no room for the text of both, they are sent when that has ended.
    """
    launch = chip.launch
    text = launch.kernel_text_bytes if kernels.text_bytes is None else kernels.text_bytes
    hidden = kernel_ns if 2 * text <= launch.config_ring_bytes else 0.0
    return max(launch.op_gap_ns + _setup_ns(chip, kernels), launch_ns(chip, kernels) - hidden)


def first_share(device_op: DeviceOp) -> float:
    """Return the share of the operands' streams that is waited for: one block of as many as a core computes.

    A matrix product that takes all of K in one step has single buffers in tt-metal, and waits for every block, unless
    it takes matrices of a batch one after the other; a norm with a residual reads little of its next row ahead.
    """
    dispatch = device_op.dispatch
    if is_attention(dispatch):
        return 0.0
    if is_contraction(dispatch):
        blocks = MatmulBlocks.of(device_op)
        single = blocks.k_blocks == 1 and not keeps_rows(device_op.op)
        return 1.0 if single else 1 / (blocks.k_blocks * blocks.out_blocks)
    return max(1 / max(device_op.core_units * device_op.core_steps, 1), late_share(device_op))


def start_cycles(device_op: DeviceOp, reads: Sequence[Stream], weights: float, tilized: float, chip: ChipDesc) -> float:
    """Cycles at the start in addition to the first block: the first latency, weights, windows as tiles, the bias."""
    return _first_latency(device_op, reads, chip) + weights + tilized + _bias_cycles(device_op, chip)


def _bias_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the cycles until a matmul's bias is available: it is read and sent after all weights."""
    if not is_matmul(device_op.dispatch) or len(device_op.operands) < 3 or device_op.operands[2].sharded:
        return 0.0
    noc, layout = chip.noc, device_op.operands[2]
    tiles, size = device_op.core_pages(device_op.dispatch.inputs[2]), layout.dtype.tile_bytes
    read = chip.noc.link(in_l1=layout.in_l1, write=False)
    return sum(noc.batch_cycles(tiles, size, kind) for kind in (read, noc.multicast))


def _first_latency(device_op: DeviceOp, reads: Sequence[Stream], chip: ChipDesc) -> float:
    """Return the cycles until the first data of a matrix product or of attention arrive.

    Other readers wait for every page.
    """
    if not is_contraction(device_op.dispatch):
        return 0.0
    if any(s.from_dram for s in reads):
        return chip.noc.dram_read.latency_cycles
    return chip.noc.l1_read.latency_cycles if any(s.noc_bytes for s in reads) else 0.0


def tail_share(device_op: DeviceOp) -> float:
    """Return the share of the results whose writing does not overlap computation.

    For a matmul it is 1: its output block has a single buffer, so the next block waits until it is written. For other
    ops it is the last tile of a core.
    """
    dispatch = device_op.dispatch
    if is_contraction(dispatch) and not is_attention(dispatch):
        return 1.0
    return 1 / max((1, *(device_op.core_pages(which) for which in dispatch.outputs)))


def fill_ns(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the nanoseconds in which the kernel's pipeline fills and drains, and in which it is set up."""
    setup = _setup_cycles(device_op, chip) + _decode_setup_cycles(device_op, chip)
    return chip.cycles_to_ns(chip.pipeline.fill_cycles) + setup * chip.cycles_to_ns(1)


def _setup_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles before the first page: the addresses of operands, and the factors that sums multiply by."""
    pipeline = chip.pipeline
    if is_rowwise(device_op.dispatch):
        return pipeline.reader_cycles + pipeline.reduce_cycles
    if not is_paged(device_op):
        return 0.0
    read = len(read_apart(device_op))
    further = max(read - 1, 0) * pipeline.operand_cycles + _shards_apart(device_op) * pipeline.shard_operand_cycles
    return bool(read) * pipeline.reader_cycles + further + is_paged_reduction(device_op) * pipeline.reduce_cycles


def _shards_apart(device_op: DeviceOp) -> int:
    """Return the number of sharded tensors with separate setup.

    One operand and the result are free if all are sharded.
    """
    if len(device_op.operands) < 2:
        return 0
    local = [is_local(device_op, *part) for part in parts(device_op)]
    return sum(local) - 2 * all(local)


def _decode_setup_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the exposed cycles of attention to a cache and of matmuls with DRAM-sharded weights.

    The first finds positions and pages; the second gathers activations at the readers, and brings results back from
    them to the cores that keep them.
    """
    if isinstance(device_op.op, DecodeAttentionOp):
        return chip.attention.decode_cycles
    return chip.matrix.sharded_weights_cycles if streams_weights(device_op) else 0.0


def throttle_ns(products_ns: float, cores: int, chip: ChipDesc) -> float:
    """Nanoseconds lost to the lower clock by a kernel that keeps the multipliers of `cores` busy for `products_ns`."""
    return products_ns * cores / chip.num_cores * (1 / chip.clock.sustained_fraction - 1)
