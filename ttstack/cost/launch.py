"""Starting a kernel: filling its pipeline, and the gap to the op before."""

from ttstack.system_desc import ChipDesc

KIB = 1024


def fill_ns(chip: ChipDesc) -> float:
    """Nanoseconds of every kernel in which its pipeline fills and drains."""
    return chip.cycles_to_ns(chip.pipeline.fill_cycles)


def skew_ns(cores: int, chip: ChipDesc) -> float:
    """Nanoseconds from the start of the first core to that of the last: cores are started one after another."""
    return chip.launch.start_skew_ns * (cores - 1) / max(chip.num_cores - 1, 1)


def launch_ns(chip: ChipDesc, text_bytes: float | None = None) -> float:
    """Nanoseconds to launch a program from a trace when nothing hides it; its kernels' text is sent each time."""
    launch = chip.launch
    text = launch.kernel_text_bytes if text_bytes is None else text_bytes
    return launch.base_ns + launch.ns_per_kib * text / KIB


def gap_ns(kernel_ns: float, chip: ChipDesc) -> float:
    """Nanoseconds between kernels of a trace: a launch is prepared while the kernel before runs."""
    return max(chip.launch.op_gap_ns, launch_ns(chip) - kernel_ns)
