"""Rows that measure one facility of the device and no op: dispatch, DRAM, transfers, the vector unit."""

import re
from dataclasses import replace

from exchanges import stated_us
from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from rows import Row

from ttstack.cost.exposed_time import Kernels, gap_ns, launch_ns
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc

_PROCESSORS = {"brisc": 1, "ncrisc": 1, "trisc": 3, "brisc_trisc": 4, "all_processors": 5, "one_processor": 1}
_FEATURES = re.compile(
    rf"(?P<on>{'|'.join(_PROCESSORS)})s?(_only)?(?P<all>_all_cores|_1_core)?"
    r"(?P<buffers>(_\d+cb|_1sem)*)(_(?P<args>\d+)_(?P<common>c?)rta)?(_trace)?"
)
_SEMAPHORES = "sems_"
_GROUPED = re.compile(r"kernel_groups(?P<buffers>_\d+_cb)?_trace")
_GROUPS = 8
"""Groups of cores in tt-metal's `kernel_groups` benchmarks."""
_SLOW = re.compile(
    r"_vary_slow_cycles/(?P<text>\d+)_bytes_brisc_only_all_processors_trace|(?P<cycles>\d+)_kernel_all_cores_.*"
)
_TRANSFERS = {"dram": "dram_read", "l1_read": "l1_read", "l1_write": "l1_write", "l1_local": "local"}
_FUNCTIONS = {
    "tanh approx (LUT)": "tanh_approx",
    "tanh accurate, bf16 dest": "tanh",
    "tanh accurate, fp32 dest (polynomial)": "tanh_fp32",
    "relu_max (after)": "clamp_scalar",
    "hardsigmoid (after)": "hardsigmoid",
    "i0 (after)": "i0",
    "softplus (after)": "softplus",
}
"""Kernels that ttnn runs for a function of ours; other rows are of forms that it runs only where it is asked to."""


def dispatch_row(row: Row) -> Expressed:
    """An empty program: one to five kernels of one size, buffers, arguments; or one that spins for so many cycles."""
    name, _, number = row.shape.split(" ")[0].rpartition("/")
    if row.time_us is None:
        raise InexpressibleError("no time")
    slow = _SLOW.fullmatch(name)
    if slow is not None:
        return _spinning(row, row.time_us, slow, int(number))
    kernels = _kernels(name, int(number))
    plain = not (kernels.configured or kernels.cores or kernels.groups > 1)

    def forecast(chip: ChipDesc) -> Forecast:
        return Forecast(launch_ns(chip, kernels) / 1e3, 0.0, "launch")

    return Expressed(row, "dispatch" if plain else "dispatch with features", row.time_us, forecast)


def _kernels(name: str, size: int) -> Kernels:
    grouped = _GROUPED.fullmatch(name)
    if grouped is not None:
        return Kernels(5, 5 * size, _GROUPS, grouped["buffers"] is not None)
    if name.startswith(_SEMAPHORES):
        return Kernels(1, size)
    found = _FEATURES.fullmatch(name)
    if found is None:
        raise InexpressibleError("a dispatch feature that ops do not vary: groups of buffers, shadowing, sub-devices")
    count, given = _PROCESSORS[found["on"]], found["args"] is not None
    own = given and not found["common"] and found["all"] == "_all_cores"
    arguments = count * int(found["args"]) if own else 0
    return Kernels(count, count * size, 1, bool(found["buffers"]) or given, arguments, 64 if own else 0)


def _spinning(row: Row, measured_us: float, slow: re.Match[str], number: int) -> Expressed:
    cycles, text = (int(slow["cycles"]), 5 * number) if slow["cycles"] else (number, int(slow["text"]))
    kernels = Kernels(5, text) if slow["cycles"] else Kernels(1, text, configured=False)

    def forecast(chip: ChipDesc) -> Forecast:
        kernel = chip.cycles_to_ns(cycles)
        return Forecast((kernel + gap_ns(kernel, chip, kernels)) / 1e3, kernel / 1e3, "launch")

    return Expressed(row, "dispatch with features", measured_us, forecast)


def dram_row(row: Row) -> Expressed:
    """Cores that read or write a MiB each, of the channel beside them or of any; or a rate of all channels."""
    words = f"{row.op} {row.shape} {row.notes} {row.memory_layout}".lower()
    if row.time_us is None or "tensix" not in row.shape:
        return _streamed(row, write="write" in row.op, near=re.search("sharded|adjacent|ubench", words) is not None)
    cores, channels = row.numbers()[0], row.numbers()[-1]
    nbytes, write = cores * 2**20, row.op == "dram_write"
    near = "carefully" in row.shape
    if write and "Dynamic" in row.notes:
        raise InexpressibleError("writes over dynamic virtual channels, which tt-metal does not use")
    if channels > 1 and not near and ("NoC #0" in row.notes) == write:
        raise InexpressibleError("tt-metal reads over NoC 0 and writes over NoC 1")

    def forecast(chip: ChipDesc) -> Forecast:
        dram = chip.dram
        if channels == 1:
            rate = dram.channel_write_bytes_per_second if write else dram.channel_read_bytes_per_second
        elif near:
            rate = dram.bank_adjacent_read_bytes_per_second
        else:
            rate = dram.interleaved_write_bytes_per_second if write else dram.interleaved_read_bytes_per_second
        ideal = dram.peak_bytes_per_second * channels / dram.num_channels
        return Forecast(nbytes / rate * 1e6, nbytes / ideal * 1e6, "dram")

    return Expressed(row, "dram bandwidth", row.time_us, forecast)


def _streamed(row: Row, *, write: bool, near: bool) -> Expressed:
    """A MiB of what all channels together move at a rate that the row gives."""
    measured = stated_us(replace(row, time_us=None), 2**20)

    def forecast(chip: ChipDesc) -> Forecast:
        dram = chip.dram
        reading = dram.bank_adjacent_read_bytes_per_second if near else dram.interleaved_read_bytes_per_second
        rate = dram.interleaved_write_bytes_per_second if write else reading
        return Forecast(2**20 / rate * 1e6, 2**20 / dram.peak_bytes_per_second * 1e6, "dram")

    return Expressed(row, "dram bandwidth", measured, forecast)


def noc_row(row: Row) -> Expressed:
    """Transactions of one size by one core, many in flight; the time of one of them."""
    rate = re.match(r"([\d.]+) GB/s", row.notes)
    if rate is None:
        raise InexpressibleError("no rate in the notes")
    size = row.numbers()[0]
    kind = _TRANSFERS[row.op.removeprefix("noc:").removesuffix("_bw")]

    def forecast(chip: ChipDesc) -> Forecast:
        cycles = chip.noc.transfer_cycles(size, size, getattr(chip.noc, kind), 0.0)
        ideal = size / chip.noc.link_bytes_per_cycle
        return Forecast(chip.cycles_to_ns(cycles) / 1e3, chip.cycles_to_ns(ideal) / 1e3, "noc")

    return Expressed(row, "transfers", size / float(rate[1]) / 1e3, forecast)


_BOUNDS = (
    (r"loopback", "local", 8192),
    (r"(one to one|one packet write)", "l1_write", 8192),
    (r"(one from one|one packet read|one from all)", "l1_read", 8192),
    (r"dram interleaved page|dram sharded read", "dram_read", 8192),
    (r"dram directed", "dram_read", 8192),
    (r"l1 interleaved page", "l1_read", 8192),
    (r"one to all unicast", "l1_write", 8192),
    (r"one to all multicast linked", "multicast", 8192),
)


def bound_row(row: Row) -> Expressed:
    """A rate that tt-metal's CI requires of one core's long transfers: the time of 8 KiB at that rate."""
    rate = re.match(r"([\d.]+) bytes/cycle", row.notes)
    name = row.op.removeprefix("noc:").lower()
    kind = next(((kind, size) for pattern, kind, size in _BOUNDS if re.match(pattern, name)), None)
    if rate is None or kind is None:
        raise InexpressibleError("a floor that CI sets for a pattern of transfers that no op of ours has")

    def forecast(chip: ChipDesc) -> Forecast:
        cycles = chip.noc.transfer_cycles(kind[1], kind[1], getattr(chip.noc, kind[0]), 0.0)
        ideal = kind[1] / chip.noc.link_bytes_per_cycle
        return Forecast(chip.cycles_to_ns(cycles) / 1e3, chip.cycles_to_ns(ideal) / 1e3, "noc")

    return Expressed(row, "transfers, floors of CI", stated_us(replace(row, time_us=None), kind[1]), forecast)


def vector_row(row: Row) -> Expressed:
    """A function on 128 tiles that stay in Dst: the math alone, without the copies and handshakes of a whole kernel."""
    function = _FUNCTIONS.get(row.op.removeprefix("SFPU:"))
    if function is None or row.time_us is None:
        raise InexpressibleError("a kernel that ttnn does not run by default, or no longer")
    tiles = row.numbers()[0]

    def forecast(chip: ChipDesc) -> Forecast:
        cycles = tiles * chip.vector.cycles_of(function)
        least = tiles * DType.F32.tile_bytes / 4 / chip.vector.lanes
        return Forecast(chip.cycles_to_ns(cycles) / 1e3, chip.cycles_to_ns(least) / 1e3, "compute")

    return Expressed(row, "vector unit", row.time_us, forecast)
