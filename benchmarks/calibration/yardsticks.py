"""Simple formulas that predictions are compared with, on the same op."""

from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.kernel_class import is_contraction
from ttstack.system_desc import ChipDesc

_PM_IDEAL_GB_PER_S = {"wormhole_b0": 258, "blackhole": 512}
"""DRAM in tt-metal's OpPerformanceModel: 21.5 GB/s for each of 12 channels; it takes a GB as 2^30 bytes."""
_POLARIS_COMPUTE, _POLARIS_MEMORY = 0.6, 0.8
"""Shares of the peaks that polaris assumes."""


def pm_ideal_ns(device_op: DeviceOp, chip: ChipDesc) -> float:
    """tt-metal's PM IDEAL: the largest tensor in DRAM, or the products at the fidelity on all cores; at least 1 ns."""
    rate = _PM_IDEAL_GB_PER_S[chip.arch] * 2**30 / 1e9
    return max(_compute_ns(device_op, chip), max(_dram_bytes(device_op), default=0) / rate, 1.0)


def polaris_ns(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Compute at 60 % of its peak or memory at 80 %, whichever takes longer."""
    memory = sum(_dram_bytes(device_op)) / (chip.dram.peak_bytes_per_second * _POLARIS_MEMORY) * 1e9
    return max(_compute_ns(device_op, chip) / _POLARIS_COMPUTE, memory)


def _compute_ns(device_op: DeviceOp, chip: ChipDesc) -> float:
    if not is_contraction(device_op.dispatch):
        return 0.0
    cycles = chip.matrix.matmul_cycles_per_tile.at(Fidelity(device_op.fidelity))
    tiles = device_op.op.flops() / (2 * 32**3)
    return chip.cycles_to_ns(tiles * cycles / chip.num_cores)


def _dram_bytes(device_op: DeviceOp) -> list[float]:
    pairs = zip(device_op.types(), device_op.layouts(), strict=True)
    return [layout.nbytes(t) for t, layout in pairs if not (layout.in_l1 or layout.on_host)]
