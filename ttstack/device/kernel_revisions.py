"""Kernel choices of `ttnn` that changed in a release and are not parameters of the device."""

from typing import NamedTuple

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.releases import order


class KernelRevision(NamedTuple):
    """A changed choice of `ttnn`."""

    what: str
    """The ops, and their treatment from `since` on."""
    since: str
    """The first release with this choice."""
    source: str

    def holds(self, chip: ChipDesc) -> bool:
        """Return True if a chip's release has this choice."""
        return order(chip.ttnn) >= order(self.since)


SPREAD_MATMULS = KernelRevision(
    "matmuls of interleaved tensors in DRAM run on all cores",
    "0.55",
    "tt-metal PR 15214 of 2024-11, the first release begun after it; GEMM_FLOPS of 2024-11 and again of 2025-06",
)
NARROW_MATMULS = KernelRevision(
    "matmuls with interleaved tensors in L1 that are over eight times as long as wide run on all cores",
    "0.65",
    "tt-metal PR 32173 of 2025-11",
)
ROWS_OF_MATMULS = KernelRevision(
    "matmuls of interleaved tensors in DRAM with fewer rows of tiles than the grid run on as many rows of cores",
    "0.81",
    "matmul_program_config.cpp of ttnn 0.81.1",
)
KERNEL_REVISIONS = (SPREAD_MATMULS, NARROW_MATMULS, ROWS_OF_MATMULS)
"""All changed choices."""


def kernel_changes(before: ChipDesc, after: ChipDesc) -> tuple[KernelRevision, ...]:
    """Return the choices that differ between the releases of two chips."""
    return tuple(change for change in KERNEL_REVISIONS if change.holds(before) != change.holds(after))
