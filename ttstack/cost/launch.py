"""Starting a kernel: filling its pipeline, and the gap to the op before."""

from dataclasses import dataclass

from ttstack.cost.multicast import pieces
from ttstack.cost.overlap import soft_maximum
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_matmul
from ttstack.ops.loops import Access
from ttstack.system_desc import ChipDesc

KIB = 1024


@dataclass(frozen=True, slots=True)
class Kernels:
    """What a program sends to its cores when it starts."""

    count: int = 5
    """Kernels of a core: two that move data, three that compute."""
    text_bytes: float | None = None
    """Text of all of them; what an ordinary op has, where it is not known."""
    groups: int = 1
    """Groups of cores with kernels of their own."""
    configured: bool = True
    """Whether there are circular buffers, semaphores or common arguments."""
    arguments: int = 0
    """Arguments of all kernels of a core that differ from core to core."""
    cores: int = 0
    """Cores that have such arguments."""


def kernels_of(device_op: DeviceOp) -> Kernels:
    """What the op's program sends: cores that send an operand and those that receive it run different kernels.

    What a product adds to its result comes with the second operand.
    """
    dispatch, sent = device_op.dispatch, (Access.MULTICAST,)
    inputs = dispatch.inputs
    if is_matmul(dispatch):
        inputs, sent = inputs[:2], (Access.MULTICAST, Access.WINDOW)
    split = sum(pieces(device_op, which) < device_op.cores for which in inputs if which.access in sent)
    return Kernels(groups=2**split)


def fill_ns(chip: ChipDesc) -> float:
    """Nanoseconds of every kernel in which its pipeline fills and drains."""
    return chip.cycles_to_ns(chip.pipeline.fill_cycles)


def skew_ns(cores: int, chip: ChipDesc) -> float:
    """Nanoseconds from the start of the first core to that of the last: cores are started one after another."""
    return chip.launch.start_skew_ns * (cores - 1) / max(chip.num_cores - 1, 1)


def launch_ns(chip: ChipDesc, kernels: Kernels = Kernels()) -> float:
    """Nanoseconds to launch a program from a trace when nothing hides it; its kernels' text is sent each time."""
    launch = chip.launch
    text = launch.kernel_text_bytes if kernels.text_bytes is None else kernels.text_bytes
    sent = (kernels.groups * text / KIB * launch.ns_per_kib, (kernels.groups - 1) * launch.group_text_ns)
    arguments = kernels.cores * launch.ns_per_core + kernels.arguments * launch.ns_per_runtime_arg
    return launch.base_ns + soft_maximum(sent, chip.pipeline.knee_exponent) + arguments + _setup_ns(chip, kernels)


def _setup_ns(chip: ChipDesc, kernels: Kernels) -> float:
    """Nanoseconds for what cores are told of kernels and buffers, group by group."""
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
