"""The report of one function: its device ops in order, their costs, and memory use."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

from ttstack.cost import Confidence
from ttstack.cost.confidence import Trust, error_of_sum
from ttstack.cost.sensitivity import MOST_SAVED
from ttstack.device.layout import Grid, Layout
from ttstack.device.program_config import ProgramConfig
from ttstack.ops.types import TensorType
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.records import Recomputation, TensorKind
from ttstack.program.title import ProgramTitle, device_title
from ttstack.report.end_to_end import EndToEnd, HostTransfers, end_to_end
from ttstack.report.library_default import DefaultRun
from ttstack.report.repeated import StepReport
from ttstack.report.throughput import Throughput
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.measured_figures import spell_change

Order = Literal["order", "time", "op"]
"""Sort order: execution, longest first, or name."""


@dataclass(frozen=True)
class TensorReport:
    """An operand or result of an op."""

    name: str
    type: TensorType
    """Shape and element type in the source."""
    layout: Layout
    """Element format, tiling, memory and shards on the device."""

    def __str__(self) -> str:
        return f"{self.type} {self.layout}"


@dataclass(frozen=True)
class BufferReport:
    """Equal bytes in every bank of a memory, or in every core of its grid, during some ops."""

    tensor: TensorReport
    kind: TensorKind
    address: int
    nbytes: int
    """Bytes in each bank."""
    first: int
    """Number of the first op during which it is there."""
    last: int
    """Number of the last one."""


@dataclass(frozen=True)
class CallReport:
    """One of several calls of the library that an op becomes."""

    name: str
    """The op that it is."""
    elapsed_ns: float
    """Its kernel and the gap after it."""


@dataclass(frozen=True)
class OpReport:
    """One device op and its predicted cost."""

    index: int
    """The op's number: its place among the function's device ops, from 0."""
    name: str
    """Mnemonic of the `ttnn` op."""
    op_class: str
    """The op's family, under which its time is summed."""
    op_code: str
    """Name of the device operation in tt-metal's profiler."""
    location: str
    """Location in the source."""
    kernel_ns: float
    """Duration of the kernel."""
    gap_ns: float
    """Time from the end of the kernel to the start of the next one."""
    terms: Mapping[str, float]
    """Nanoseconds by term, a member of `ttstack.cost.Term`."""
    bound: str
    """The resource that the op waits for the most: a member of `ttstack.system_desc.resources.Resource`, or `none`."""
    cores: int
    flops: int
    """Floating-point operations as users count them."""
    dram_bytes: int
    noc_bytes: int
    flops_utilisation: float
    """Share of the chip's matrix peak at the op's fidelity."""
    dram_utilisation: float
    """Share of the DRAM peak."""
    roofline_ns: float
    """The least time that the peaks of matrix units and DRAM allow."""
    l1_bytes: int
    """Bytes in use of the fullest core's L1 while it runs, circular buffers included."""
    fidelity: str
    operands: tuple[TensorReport, ...]
    results: tuple[TensorReport, ...]
    grid: Grid
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    confidence: Confidence = field(default_factory=Confidence)
    """The measurements that its time rests on."""
    config: ProgramConfig | None = None
    circular_buffer_bytes: int = 0
    """Bytes of L1 for circular buffers on each of its cores, from the lowest address up."""
    channel_bytes: int = 0
    """Bytes in use of each DRAM channel while it runs."""
    visited_share: float | None = None
    """Visited share of attention's score tiles; None if the mask is not known at compile time."""
    doubt_ns: float = 0.0
    """Uncertainty penalty that placement adds to its time, at a caution of 1."""
    calls: tuple[CallReport, ...] = ()
    """Calls of the library that implement the op, if there are several kernels."""
    sensitivity: Mapping[str, float] = field(default_factory=dict[str, float])
    """Share of its time that 10 % more of each resource saves, largest first: `bound` is the first."""
    times: int = 1
    """Number of calls of the time step that the op represents; its numbers are then sums over all calls."""

    @property
    def likely_ns(self) -> tuple[float, float] | None:
        """Return the 67 % interval of its time in nanoseconds; None if the error is unknown."""
        if (interval := self.confidence.interval) is None:
            return None
        low, high = interval
        return self.elapsed_ns * max(1 + low, 0.0), self.elapsed_ns * (1 + high)

    @property
    def bound_share(self) -> float:
        """Share of its time that shrinks as the resource grows that it is bound by: 1 if all of it does."""
        return self.sensitivity.get(self.bound, 0.0) / MOST_SAVED

    @property
    def elapsed_ns(self) -> float:
        """Return kernel time plus gap: the op's contribution to the total."""
        return self.kernel_ns + self.gap_ns

    @property
    def ns(self) -> float:
        """Return `kernel_ns`; the older name."""
        return self.kernel_ns


class TimedPart(Protocol):
    """An op, or several."""

    @property
    def elapsed_ns(self) -> float:
        """Kernels and the gaps after them."""
        ...


@dataclass(frozen=True)
class OpSums:
    """Several ops and the sums of their times."""

    ops: tuple[OpReport, ...] = field(repr=False)
    """The ops in the order of execution."""

    @cached_property
    def kernel_ns(self) -> float:
        """Sum of the kernels' durations."""
        return sum(op.kernel_ns for op in self.ops)

    @cached_property
    def gap_ns(self) -> float:
        """Sum of the gaps after the kernels, the one before the next pass included."""
        return sum(op.gap_ns for op in self.ops)

    @property
    def elapsed_ns(self) -> float:
        """Kernels and gaps."""
        return self.kernel_ns + self.gap_ns

    @cached_property
    def roofline_ns(self) -> float:
        """The roofline: every op at the peak of matrix units or DRAM, one after the other."""
        return sum(op.roofline_ns for op in self.ops)

    @cached_property
    def doubt_ns(self) -> float:
        """Uncertainty penalty of placement: `--placement` minimizes the sum of it and the predicted time."""
        return sum(op.doubt_ns for op in self.ops)


@dataclass(frozen=True)
class MeasuredKernels:
    """Numbers of ops whose kernel is covered by published measurements."""

    ops: int
    """All ops of the program."""
    on_board: int
    """Ops whose kernel was measured on the board of the device description."""
    on_arch: int
    """Ops whose kernel was measured on some board of the architecture."""


@dataclass(frozen=True)
class MemoryUse:
    """The most that a function uses of a memory: of the fullest core's L1, or of all DRAM channels together."""

    peak: int
    """Bytes in use, from the program's addresses; in L1 with circular buffers."""
    capacity: int
    """Bytes that programs may use."""
    banks: int
    """Cores that have an L1, or DRAM channels, over which buffers in DRAM are spread evenly."""
    span: int
    """Maximum address range: `peak` plus space lost between buffers."""
    peak_op: str = ""
    """Mnemonic of the op that runs when the peak is first reached."""
    peak_location: str = ""
    """Location of that op in the source."""

    @property
    def share(self) -> float:
        """Share of the capacity that addresses span."""
        return self.span / self.capacity if self.capacity else 0.0


@dataclass(frozen=True)
class ReportFigures(OpSums):
    """Content of a report about a function, in any format.

    `ops` are device ops in order; views and ends of buffers launch nothing and are none.
    """

    function: str
    system: str
    """Name of the device description."""
    chip: ChipDesc = field(repr=False)
    memory: Mapping[str, MemoryUse]
    """Use of `l1` and `dram`."""
    tables: tuple[EmbeddingTableReport, ...] = ()
    """Embedding tables that were considered for Tensor-Train form, with the outcome of each."""
    staying: float = 0.0
    """Share of the bytes of all computed tensors that never leave L1."""
    precision: str = ""
    """Name of the requested precision; empty without one."""
    bound_ns: float | None = None
    """No placement of the ops is predicted to be faster, as far as `--placement optimal` proved it."""
    greedy_saves_ns: float = 0.0
    """Predicted time by which the greedy placement is shorter than this one, which is more certain."""
    recomputation: Recomputation | None = None
    """Ops that a training step recomputes so that it fits."""
    library_default: DefaultRun | None = None
    """The same ops with the defaults of `ttnn`."""
    buffers: tuple[BufferReport, ...] = field(default=(), repr=False)
    """All buffers in a device's memory during ops, in the order of allocation."""
    steps: tuple[StepReport, ...] = ()
    """Steps of recurrences, each called several times in a row."""
    title: ProgramTitle | None = None
    """Model, input shape, formats and device, for the first printed line."""
    options: str = ""
    """Options of the compilation that differ from their defaults, as on the command line."""
    per_pass: Mapping[str, int] = field(default_factory=dict[str, int])
    """Numbers of `samples` and `tokens` in one pass, as given by the user."""
    units: Mapping[str, int] = field(default_factory=dict[str, int])
    """Number of `samples` or `tokens` in one pass by the shapes of inputs and outputs; empty if they do not show it."""
    transfers: HostTransfers | None = None
    """Transfers of inputs and outputs over PCIe; None if the device has no parameters for them."""

    @property
    def total_ns(self) -> float:
        """Kernels and gaps of the whole function."""
        return self.elapsed_ns

    @property
    def device(self) -> str:
        """The name of the device and the release of `ttnn` that runs there, as titles have them."""
        return device_title(self.system, self.chip)

    @property
    def heading(self) -> str:
        """`mynet.dit, 2x4x32x32, float32 on n150, ttnn 0.81`."""
        return str(self.title or f"{self.function} on {self.device}")

    @property
    def rates(self) -> list[Throughput]:
        """Samples and tokens per second, if the numbers per pass are given; none for a program without ops."""
        return [
            Throughput(what, number, 1e9 * number / self.total_ns, 1e9 * number / self.roofline_ns)
            for what, number in self.per_pass.items()
            if self.total_ns and self.roofline_ns
        ]

    @property
    def end_to_end(self) -> EndToEnd | None:
        """Time and rates with the transfers of inputs and outputs; None if these are unknown."""
        return end_to_end(self.total_ns, self.transfers, self.per_pass or self.units) if self.transfers else None

    @cached_property
    def unknown_ns(self) -> float:
        """Time of the ops whose error is unknown, in nanoseconds."""
        return sum(op.elapsed_ns for op in self.ops if op.confidence.error is None)

    @cached_property
    def unmeasured_figures(self) -> Mapping[str, float]:
        """Return nanoseconds of ops with unknown error, by figure that differs from measurements, longest first."""
        changes = {spell_change(self.chip, path) for path in self.chip.measured_figures}
        found: dict[str, float] = {}
        for op in self.ops:
            for reason in changes.intersection(op.confidence.beyond):
                found[reason] = found.get(reason, 0.0) + op.elapsed_ns
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    @cached_property
    def error_ns(self) -> float:
        """Nanoseconds by which the time of all ops with a known error may be wrong: 67 % interval, to either side."""
        known = [(op, op.confidence, op.confidence.error) for op in self.ops]
        parts = [(c.group or op.name, error, op.elapsed_ns) for op, c, error in known if error is not None]
        return error_of_sum(parts) * sum(ns for *_, ns in parts)

    @property
    def expected_error(self) -> float | None:
        """Return the 67 % interval of the total as a share of it; None if an op's error is unknown."""
        if self.unknown_ns:
            return None
        return self.error_ns / self.total_ns if self.total_ns else 0.0

    @property
    def likely_ns(self) -> tuple[float, float] | None:
        """Return the 67 % interval of the total in nanoseconds; None if an op's error is unknown."""
        return None if self.unknown_ns else (max(self.total_ns - self.error_ns, 0.0), self.total_ns + self.error_ns)

    @cached_property
    def trust_shares(self) -> dict[Trust, float]:
        """Share of the total time by how near ops are to measurements."""
        shares = dict.fromkeys(Trust, 0.0)
        for op in self.ops:
            shares[op.confidence.trust] += self.share(op)
        return shares

    @property
    def measured_kernels(self) -> "MeasuredKernels":
        """Return the numbers of ops whose kernel was measured on this board, and on this architecture."""
        names = set(self.system.split())
        boards = [op.confidence.boards for op in self.ops if op.confidence.boards is not None]
        return MeasuredKernels(len(self.ops), sum(not names.isdisjoint(of) for of in boards), len(boards))

    @property
    def placement_gap(self) -> float | None:
        """Return the maximum gap between the total and the bound, as a share of the bound; None without a bound."""
        if self.bound_ns is None:
            return None
        return max(self.total_ns / self.bound_ns - 1, 0.0) if self.bound_ns else 0.0

    @cached_property
    def sensitivity(self) -> dict[str, float]:
        """Share of the total time that 10 % more of each resource saves, largest first."""
        saved: dict[str, float] = {}
        for op in self.ops:
            for resource, share in op.sensitivity.items():
                saved[resource] = saved.get(resource, 0.0) + share * self.share(op)
        return dict(sorted(saved.items(), key=lambda item: -item[1]))

    def share(self, part: "TimedPart") -> float:
        """Return the share of the total time of an op, or of several, with the gaps after them."""
        return part.elapsed_ns / self.total_ns if self.total_ns else 0.0

    def shares(self) -> dict[str, float]:
        """Return the share of the total time by op class, largest first."""
        found: dict[str, float] = {}
        for op in self.ops:
            found[op.op_class] = found.get(op.op_class, 0.0) + self.share(op)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def ordered(self, by: Order = "order") -> list[OpReport]:
        """Return the ops sorted; ties keep the order of execution."""
        return sort_ops(self.ops, by)


def sort_ops(ops: Iterable[OpReport], by: Order) -> list[OpReport]:
    """Return the ops sorted; ties keep their order."""
    match by:
        case "time":
            return sorted(ops, key=lambda op: -op.elapsed_ns)
        case "op":
            return sorted(ops, key=lambda op: op.name)
        case "order":
            return list(ops)


def compare_headings(before: ReportFigures, after: ReportFigures, arrow: str) -> str:
    """Return the headings of two reports; the program's part only once if it is the same."""
    same = before.title and after.title and before.title.program == after.title.program
    return f"{before.heading} {arrow} {after.device if same else after.heading}"
