"""Rows that measure one facility of the device and no op: dispatch, DRAM, transfers, the vector unit."""

import re

from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from rows import Row

from ttstack.cost.launch import launch_ns
from ttstack.cost.transfers import transfer_cycles
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc

_KERNELS = {"brisc_only": 1, "ncrisc_only": 1, "trisc_only": 3, "brisc_trisc_only": 4, "all_processors": 5}
_TRANSFERS = {"dram": "dram_read", "l1_read": "l1_read", "l1_write": "l1_write", "l1_local": "local"}
_FUNCTIONS = {
    "gelu_appx (LUT)": "gelu",
    "sigmoid_appx (LUT)": "sigmoid",
    "tanh approx (LUT)": "tanh_approx",
    "tanh accurate, bf16 dest": "tanh",
    "tanh accurate, fp32 dest (polynomial)": "tanh_fp32",
    "relu_max (after)": "relu",
    "hardsigmoid (after)": "hardsigmoid",
    "i0 (after)": "i0",
    "softplus (after)": "softplus",
    "reciprocal_compat (after)": "reciprocal",
}


def dispatch_row(row: Row) -> Expressed:
    """An empty program of one to five kernels of one size, on one core or all."""
    name, _, size = row.shape.split(" ")[0].rpartition("/")
    found = re.fullmatch(rf"({'|'.join(_KERNELS)})(_1_core|_all_cores)?_trace", name)
    if found is None or row.time_us is None:
        raise InexpressibleError("a dispatch feature that ops do not vary: arguments, semaphores, groups, shadowing")
    text = _KERNELS[found[1]] * int(size)

    def forecast(chip: ChipDesc) -> Forecast:
        return Forecast(launch_ns(chip, text_bytes=text) / 1e3, 0.0, "launch")

    return Expressed(row, "dispatch", row.time_us, forecast)


def dram_row(row: Row) -> Expressed:
    """Cores that read or write a MiB each, of the channel beside them or of any."""
    cores, channels = row.numbers()[0], row.numbers()[-1]
    nbytes, write = cores * 2**20, row.op == "dram_write"
    near = "carefully" in row.shape
    if row.time_us is None or (write and "Dynamic" in row.notes):
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


def noc_row(row: Row) -> Expressed:
    """Transactions of one size by one core, many in flight; the time of one of them."""
    rate = re.match(r"([\d.]+) GB/s", row.notes)
    if rate is None:
        raise InexpressibleError("no rate in the notes")
    size = row.numbers()[0]
    kind = _TRANSFERS[row.op.removeprefix("noc:").removesuffix("_bw")]

    def forecast(chip: ChipDesc) -> Forecast:
        cycles = transfer_cycles(size, size, getattr(chip.noc, kind), 0.0)
        ideal = size / chip.noc.link_bytes_per_cycle
        return Forecast(chip.cycles_to_ns(cycles) / 1e3, chip.cycles_to_ns(ideal) / 1e3, "noc")

    return Expressed(row, "transfers", size / float(rate[1]) / 1e3, forecast)


def vector_row(row: Row) -> Expressed:
    """A function on 128 tiles that stay in Dst."""
    function = _FUNCTIONS.get(row.op.removeprefix("SFPU:"))
    if function is None or row.time_us is None:
        raise InexpressibleError("a kernel that is no longer, or not yet, in use")
    tiles = row.numbers()[0]

    def forecast(chip: ChipDesc) -> Forecast:
        cycles = tiles * chip.vector.cycles_of(function)
        least = tiles * DType.F32.tile_bytes / 4 / chip.vector.lanes
        return Forecast(chip.cycles_to_ns(cycles) / 1e3, chip.cycles_to_ns(least) / 1e3, "compute")

    return Expressed(row, "vector unit", row.time_us, forecast)
