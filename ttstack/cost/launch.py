"""Starting a kernel: filling its pipeline, and the gap to the op before."""

from ttstack.system_desc import ChipDesc


def fill_ns(chip: ChipDesc) -> float:
    """Nanoseconds of every kernel in which its pipeline fills and drains."""
    return chip.cycles_to_ns(chip.pipeline.fill_cycles)


def gap_ns(kernel_ns: float, chip: ChipDesc) -> float:
    """Nanoseconds between kernels of a trace: a launch is prepared while the kernel before runs, if that is long."""
    launch = chip.launch
    exposed = launch.base_ns + launch.ns_per_kib * launch.kernel_text_bytes / 1024
    return max(launch.op_gap_ns, exposed - kernel_ns)
