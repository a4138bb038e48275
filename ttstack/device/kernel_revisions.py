"""Kernels that `ttnn` chooses since a release, where its choice is not a figure of the device."""

from typing import NamedTuple

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.releases import order


class KernelRevision(NamedTuple):
    """A choice of `ttnn` that changed."""

    what: str
    """The ops, and what is done with them from `since` on."""
    since: str
    """The first release that is known to do so."""
    source: str

    def holds(self, chip: ChipDesc) -> bool:
        """Return True if the release of a chip does so."""
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
"""All of them."""


def kernel_changes(before: ChipDesc, after: ChipDesc) -> tuple[KernelRevision, ...]:
    """Return the choices that differ between the releases of two chips."""
    return tuple(change for change in KERNEL_REVISIONS if change.holds(before) != change.holds(after))
