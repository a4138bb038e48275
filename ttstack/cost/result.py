"""What a prediction says."""

from dataclasses import dataclass

from ttstack.cost.terms import Term


@dataclass(frozen=True, slots=True)
class Cost:
    """The predicted time of one op, what it consists of, and the work that it does."""

    total_ns: float
    """From the start of the first core to the end of the last: the device kernel's duration."""
    gap_ns: float
    """From the end of the kernel to the start of the next, back to back in a trace."""
    terms: dict[Term, float]
    """Nanoseconds by term; those of chips, windows and divided rows only of ops that have such."""
    bound: str
    """The largest of what terms count as; see `Term`."""
    cores: int
    flops: int
    dram_bytes: int
    """Read from and written to DRAM."""
    noc_bytes: int
    """Sent over the networks on chip, DRAM traffic included; a multicast counts once."""
    flops_utilisation: float
    """Share of the chip's matrix peak at the op's fidelity."""
    dram_utilisation: float
    """Share of the DRAM peak."""

    @property
    def elapsed_ns(self) -> float:
        """Kernel and gap: what the op adds to a traced program."""
        return self.total_ns + self.gap_ns


FREE = Cost(
    total_ns=0.0,
    gap_ns=0.0,
    terms={},
    bound="none",
    cores=0,
    flops=0,
    dram_bytes=0,
    noc_bytes=0,
    flops_utilisation=0.0,
    dram_utilisation=0.0,
)
"""The cost of an op that launches nothing."""
