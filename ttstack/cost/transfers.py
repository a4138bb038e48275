"""Cycles that one core needs for transfers over the networks on chip."""

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.interconnect import TransferDesc


def transfer_cycles(nbytes: float, size: float, kind: TransferDesc, page_cycles: float, chip: ChipDesc) -> float:
    """`nbytes` in transactions of `size` bytes, many in flight; `page_cycles` of the issuing core for each."""
    if nbytes <= 0:
        return 0.0
    size = max(min(size, nbytes), 1)
    each = max(kind.issue_cycles + page_cycles, size / chip.noc.bytes_per_cycle(kind))
    return nbytes / size * each


def link_kind(chip: ChipDesc, *, in_l1: bool, write: bool) -> TransferDesc:
    """The rates of reading or writing another core's L1, or DRAM."""
    if in_l1:
        return chip.noc.l1_write if write else chip.noc.l1_read
    return chip.noc.dram_write if write else chip.noc.dram_read


def dram_cycles(nbytes: float, bytes_per_second: float, chip: ChipDesc) -> float:
    """Cycles in which all DRAM channels together move `nbytes`."""
    return nbytes / bytes_per_second * chip.clock_hz
