"""Reports as JSON: times in nanoseconds, sizes in bytes, shares from 0 to 1."""

from typing import NotRequired

from typing_extensions import TypedDict

from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.report.end_to_end import EndToEnd
from ttstack.report.model import MeasuredKernels, MemoryUse
from ttstack.report.printed_ops import OpJson, PairJson
from ttstack.report.repeated import StepReport
from ttstack.report.throughput import Throughput


class RecomputationJson(TypedDict):
    """Ops that a training step recomputes so that it fits."""

    ns: float
    """Predicted time of recomputation, each op alone with all tensors in DRAM."""
    bound_ns: float | None
    """Proven lower bound of the time within these bytes; null without a proof."""
    gap: float | None
    """Share of the bound by which the time can exceed the least."""


class LibraryDefaultJson(TypedDict):
    """The same ops with the defaults of `ttnn`."""

    elapsed_ns: float
    saved_share: float
    """Time that the program saves against it; negative if it is slower."""
    unknown_ops: int
    """Ops with unknown defaults, which count with their predicted times."""


class FiguresJson(TypedDict):
    """Content of a report about the full function."""

    format: int
    """The version of this text; it increases if a field changes its meaning or is removed."""
    function: str
    model: NotRequired[str]
    """Name of the model, or of the function if the program has no name."""
    input: NotRequired[str]
    """Shape of the first input that is not state, such as `1x3x224x224`; empty if there is none."""
    formats: NotRequired[str]
    """Formats of activations and weights, such as `bf16, weights bfp8_b`."""
    system: str
    """The name of the device description."""
    arch: str
    """The architecture of its chips."""
    ttnn: str
    """The release of `ttnn` whose kernels are predicted."""
    precision: NotRequired[str]
    """Name of the requested precision."""
    total_ns: float
    """Kernels and the gaps after them."""
    kernel_ns: float
    gap_ns: float
    roofline_ns: float
    """The ideal: every op at the peak of matrix units or DRAM, one after the other."""
    rates: NotRequired[list[Throughput]]
    """Samples and tokens per second, if `--samples` and `--tokens` define their number per pass."""
    end_to_end: NotRequired[EndToEnd]
    """Time and rates with the transfers of inputs and outputs; left out if the device has no PCIe parameters."""
    likely_ns: list[float] | None
    """67 % interval of the total; null if an op's error is unknown."""
    expected_error: float | None
    """Half width of the interval as a share of the total."""
    unknown_ns: NotRequired[float]
    """Time of ops with unknown error; omitted if there are none."""
    unmeasured_figures: NotRequired[dict[str, float]]
    """Device parameters that differ from the measured ones, with the time of their ops, longest first."""
    trust: dict[str, float]
    """Shares of the total by trust: `measured`, `similar`, `extrapolated`."""
    measured_kernels: MeasuredKernels
    """Numbers of `ops` with a measured kernel: `on_board` of the system, `on_arch` of its architecture."""
    doubt_ns: float
    """Uncertainty penalty that placement adds to the total."""
    greedy_saves_ns: NotRequired[float]
    """Predicted time by which the greedy placement is shorter, which is less certain."""
    bound_ns: float | None
    """Proven lower bound of the predicted time over placements; null without a proof."""
    placement_gap: float | None
    """Share of the bound by which the total can exceed it."""
    recomputation: NotRequired[RecomputationJson]
    library_default: NotRequired[LibraryDefaultJson]
    sensitivity: dict[str, float]
    """Share of the total that 10 % more of each resource saves, largest first."""
    shares: dict[str, float]
    """Shares of the total by class of ops, largest first."""
    staying_in_l1: float
    """Share of the bytes of results that never leave L1."""
    memory: dict[str, MemoryUse]
    """Maximum use of the fullest core's L1 (`l1`) and of all channels (`dram`)."""
    tables: NotRequired[list[EmbeddingTableReport]]
    """Embedding tables, if Tensor-Train form was requested; fields that are null are left out."""


class GroupJson(TypedDict):
    """Sums over a group of ops."""

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
    """Ops in the order of execution."""
    steps: NotRequired[list[StepReport]]
    """Steps of recurrences, whose calls are in `ops`; omitted if there are none."""
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
    """Notes on the second program."""
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
    """Increase of the function's time by this parameter only."""
    source: str
    """Source of the older release's value."""


class UpgradeJson(ComparisonJson):
    """A function with two releases of `ttnn`, op by op."""

    changes: list[ReleaseChangeJson]
