"""Reports as JSON: times in nanoseconds, sizes in bytes, shares from 0 to 1."""

from typing import NotRequired

from typing_extensions import TypedDict

from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.report.model import MeasuredKernels, MemoryUse
from ttstack.report.printed_ops import OpJson, PairJson
from ttstack.report.repeated import StepReport
from ttstack.report.throughput import Throughput


class RecomputationJson(TypedDict):
    """What runs again in a step of training, so that it fits."""

    ns: float
    """Predicted time of it, each op alone with all tensors in DRAM."""
    bound_ns: float | None
    """No choice within these bytes takes less; null where nothing was proven."""
    gap: float | None
    """Share of the bound by which the time can exceed the least."""


class LibraryDefaultJson(TypedDict):
    """The same ops as `ttnn` runs them where nothing is said."""

    elapsed_ns: float
    saved_share: float
    """What the program saves of that; below 0 where it takes longer."""
    unknown_ops: int
    """Ops whose default is not known, which count as they are."""


class FiguresJson(TypedDict):
    """What a report says of the whole function."""

    format: int
    """The version of this text; grows when a field changes its meaning or goes."""
    function: str
    system: str
    """The name of the device description."""
    arch: str
    """The architecture of its chips."""
    ttnn: str
    """The release of `ttnn` whose kernels are predicted."""
    precision: NotRequired[str]
    """The name that formats and fidelities were asked for by."""
    total_ns: float
    """Kernels and the gaps after them."""
    kernel_ns: float
    gap_ns: float
    roofline_ns: float
    """The ideal: every op at the peak of matrix units or DRAM, one after the other."""
    rates: NotRequired[list[Throughput]]
    """Samples and tokens a second, where `--samples` and `--tokens` say how many a pass has."""
    expected_error: float
    """Share of the total within which it is expected, by the errors of the prices of its ops."""
    extrapolated_share: float
    """Share of the total that rests on nothing measured."""
    measured_kernels: MeasuredKernels
    """How many of `ops` have a kernel that was measured: `on_board` the system's, `on_arch` its architecture."""
    doubt_ns: float
    """What placement adds to the total because times may be wrong."""
    greedy_saves_ns: NotRequired[float]
    """How much shorter the greedy placement is predicted to be, which is less certain."""
    bound_ns: float | None
    """No placement is predicted to be faster; null where nothing was proven."""
    placement_gap: float | None
    """Share of the bound by which the total can exceed it."""
    recomputation: NotRequired[RecomputationJson]
    library_default: NotRequired[LibraryDefaultJson]
    shares: dict[str, float]
    """Shares of the total by class of ops, largest first."""
    staying_in_l1: float
    """Share of the bytes of results that never leave L1."""
    memory: dict[str, MemoryUse]
    """By memory, `l1` and `dram`: the most that the function takes of each bank."""
    tables: NotRequired[list[EmbeddingTableReport]]
    """Embedding tables, where Tensor-Train form was asked for; fields that are null are left out."""


class GroupJson(TypedDict):
    """What ops take together."""

    path: list[str]
    """Names from the outermost group to this one."""
    ops: int
    elapsed_ns: float
    kernel_ns: float
    roofline_ns: float
    share: float


class ReportJson(FiguresJson):
    """A report of one function."""

    ops: list[OpJson]
    """In the order of execution."""
    steps: NotRequired[list[StepReport]]
    """Steps of recurrences, each call of which is among `ops`; left out where there are none."""
    groups: NotRequired[list[GroupJson]]
    """With `--group-by`: each group before those within it."""


class ComparedJson(TypedDict):
    """One of two functions that are compared."""

    function: str
    system: str
    ttnn: str
    """The release of `ttnn` whose kernels are predicted."""
    total_ns: float
    kernel_ns: float
    gap_ns: float


class ComparisonJson(TypedDict):
    """Two functions op by op."""

    before: ComparedJson
    after: ComparedJson
    delta_ns: float
    notes: list[str]
    """What is to be known of the second."""
    ops: list[PairJson]


class ReleaseChangeJson(TypedDict):
    """A figure that differs between two releases, and on which an op depends."""

    figure: str
    """Dotted path in the chip."""
    before: str
    after: str
    since: str
    """The first release that is known to have the figure of the newer one."""
    delta_ns: float
    """How much longer the function takes because of this figure alone."""
    source: str
    """Where the figure of the older release is from."""


class UpgradeJson(ComparisonJson):
    """A function with two releases of `ttnn`, op by op."""

    changes: list[ReleaseChangeJson]
