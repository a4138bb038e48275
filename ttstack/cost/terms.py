"""The terms of a prediction: the parts of an op's time, their combination, and their names in reports."""

from collections.abc import Mapping, Sequence
from enum import Enum, StrEnum
from typing import Self

from ttstack.system_desc import ChipDesc

LAUNCH = "launch"
"""Name of all fixed terms together, in `Cost.largest_term`."""


class Combination(Enum):
    """Combination of a term with the other terms of an op's time."""

    MATH = "hides other work of the math units"
    STREAM = "hides the math units and other streams"
    ADDED = "is hidden by nothing"
    AFTER = "follows the kernel"


class Term(StrEnum):
    """One term; members have the order of reports.

    A member says how it adds up, what it is, the rank of its column in reports (those of the lowest are dropped last),
    and what it counts as where the largest is named: terms that overlap count as themselves, others as nothing if they
    name nothing.
    """

    combination: Combination
    meaning: str
    rank: int
    counts_as: str

    def __new__(cls, name: str, combination: Combination, meaning: str, rank: int = 7, counts_as: str = "") -> Self:
        """Create the member `name` with its properties."""
        self = str.__new__(cls, name)
        self._value_ = name
        self.combination, self.meaning, self.rank = combination, meaning, rank
        self.counts_as = name if combination in (Combination.MATH, Combination.STREAM) else counts_as
        return self

    COMPUTE = (
        "compute",
        Combination.MATH,
        "math of the core with the most work: cycles of each tile op on the matrix or the vector unit, times how often",
        3,
    )
    UNPACK = "unpack", Combination.MATH, "moving operand tiles from L1 into the math units"
    PACK = "pack", Combination.MATH, "moving result tiles back"
    DRAM = (
        "dram",
        Combination.STREAM,
        "reading operands from DRAM: the busiest core's transfers, or the rate of all channels, whichever takes longer",
        3,
    )
    NOC = "noc", Combination.STREAM, "reading operands from the L1 of other cores", 4
    WRITER = "writer", Combination.STREAM, "writing results that do not stay in the core"
    ETHERNET = "ethernet", Combination.STREAM, "of ops that span a mesh: the busiest link between chips", 3
    PCIE = "pcie", Combination.STREAM, "of ops that span a mesh: the slowest transfer to or from the host", 3
    HALO = (
        "halo",
        Combination.ADDED,
        "the kernel before that of windows, launch included, which brings cores the pixels that their windows see",
        7,
        "halo",
    )
    WAIT = "wait", Combination.ADDED, "until the first block of operands has arrived; nothing is computed before"
    TAIL = "tail", Combination.ADDED, "writing the last block of results, which no compute hides"
    EXCHANGE = (
        "exchange",
        Combination.ADDED,
        "cores that share the rows of a norm gather their parts of each sum, and get the sums back",
        7,
        "exchange",
    )
    FILL = "fill", Combination.ADDED, "filling and draining the kernel's pipeline", 7, LAUNCH
    SKEW = "skew", Combination.ADDED, "from the start of the first core to that of the last", 7, LAUNCH
    THROTTLE = "throttle", Combination.ADDED, "the lower clock of kernels that keep the multipliers busy for long"
    GAP = (
        "gap",
        Combination.AFTER,
        "after the kernel, until the next one starts; a launch is prepared while the kernel before it runs",
        5,
        LAUNCH,
    )

    @classmethod
    def of(cls, *combinations: Combination) -> "tuple[Term, ...]":
        """Return the terms that take part so, in order."""
        return tuple(term for term in cls if term.combination in combinations)


_MATH, _STREAMS, _ADDED = map(Term.of, (Combination.MATH, Combination.STREAM, Combination.ADDED))
_COUNTED = tuple((term, term.counts_as) for term in Term if term.counts_as)


def kernel_ns(
    terms: Mapping[Term, float], lanes: Mapping[Term, Sequence[float]], chip: ChipDesc, exponent: float | None = None
) -> float:
    """Return the nanoseconds of a kernel whose terms are `terms`.

    `exponent` says how well streams overlap, if not as usual. Of a stream that runs in several lanes at once, or is
    hidden in part only, `lanes` has the nanoseconds of each that overlap; other streams overlap as they are.
    """
    math = chip.pipeline.overlap_units(terms.get(term, 0.0) for term in _MATH)
    streams = [ns for term in _STREAMS for ns in lanes.get(term, (terms.get(term, 0.0),))]
    overlapped = chip.pipeline.overlap_streams([math, *streams], exponent)
    return overlapped + sum(terms.get(term, 0.0) for term in _ADDED)


def largest(terms: Mapping[Term, float]) -> str:
    """Return the largest of an op's terms, those that count as one thing added up."""
    sizes: dict[str, float] = {}
    for term, counts_as in _COUNTED:
        if term in terms:
            sizes[counts_as] = sizes.get(counts_as, 0.0) + terms[term]
    return max(sizes, key=sizes.__getitem__)
