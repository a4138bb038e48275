"""The report of one function: its device ops in order, what each costs, and the memory that it takes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

from ttstack.cost import LAUNCH, Confidence, Term
from ttstack.cost.confidence import error_of_sum
from ttstack.device.layout import Grid, Layout
from ttstack.device.program_config import ProgramConfig
from ttstack.ops.types import TensorType
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.records import Recomputation, TensorKind
from ttstack.report.library_default import DefaultRun
from ttstack.report.repeated import StepReport
from ttstack.report.throughput import Throughput
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.releases import extrapolation

Order = Literal["order", "time", "op"]
"""In the order of execution, longest first, or by name."""


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
    """The same bytes in every bank of a memory, or every core of its grid, while some ops run."""

    tensor: TensorReport
    kind: TensorKind
    address: int
    nbytes: int
    """In each bank."""
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
    """What its time is summed up under: the op's family."""
    op_code: str
    """Name of the device operation in tt-metal's profiler."""
    location: str
    """Where in the source it comes from."""
    kernel_ns: float
    """Duration of the kernel."""
    gap_ns: float
    """From the end of the kernel to the start of the next one."""
    terms: Mapping[str, float]
    """Nanoseconds by term, a member of `ttstack.cost.Term`."""
    bound: str
    """The largest term."""
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
    """Bytes of L1 that the kernel takes for circular buffers on each of its cores, from the lowest address up."""
    channel_bytes: int = 0
    """Bytes in use of each DRAM channel while it runs."""
    visited_share: float | None = None
    """Share of the tiles of scores that attention visits; None where its mask is not known before the run."""
    doubt_ns: float = 0.0
    """What placement adds to its time because that may be wrong, at a caution of 1."""
    calls: tuple[CallReport, ...] = ()
    """What the library is asked for in its place, where that is more than one kernel."""
    times: int = 1
    """How often a step is called in which it stands for this op: then its figures are those of all calls."""

    @property
    def bound_share(self) -> float:
        """What the largest term is of the kernel's duration; of an op bound by its launch, of kernel and gap."""
        ns = sum(ns for name, ns in self.terms.items() if Term(name).bound == self.bound)
        return ns / (self.elapsed_ns if self.bound == LAUNCH else self.kernel_ns)

    @property
    def elapsed_ns(self) -> float:
        """Kernel and gap: what the op adds to the total."""
        return self.kernel_ns + self.gap_ns

    @property
    def ns(self) -> float:
        """The same as `kernel_ns`, under its first name."""
        return self.kernel_ns


class TimedPart(Protocol):
    """An op, or several."""

    @property
    def elapsed_ns(self) -> float:
        """Kernels and the gaps after them."""
        ...


@dataclass(frozen=True)
class OpSums:
    """Several ops, and what their times add up to."""

    ops: tuple[OpReport, ...] = field(repr=False)
    """In the order of execution."""

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
        """The ideal beside it: every op at the peak of matrix units or DRAM, one after the other."""
        return sum(op.roofline_ns for op in self.ops)

    @cached_property
    def doubt_ns(self) -> float:
        """What placement adds because times may be wrong: the sum of both is what `--placement` keeps small."""
        return sum(op.doubt_ns for op in self.ops)


@dataclass(frozen=True)
class MeasuredKernels:
    """How many ops of a program have a kernel that published measurements are of."""

    ops: int
    """All ops of the program."""
    on_board: int
    """Those whose kernel was measured on the board that the device description names."""
    on_arch: int
    """Those whose kernel was measured on some board of the architecture."""


@dataclass(frozen=True)
class MemoryUse:
    """The most that a function takes of each bank of a memory: a core's L1, or a DRAM channel."""

    peak: int
    """Bytes of the fullest bank, from the program's addresses; in L1 with circular buffers."""
    capacity: int
    """Bytes of a bank that programs may use."""
    banks: int
    span: int = 0
    """The most bytes that addresses span: `peak`, which none can do without, and what is lost between buffers."""
    peak_op: str = ""
    """Mnemonic of the op that runs when the peak is first reached."""
    peak_location: str = ""
    """Where that op comes from."""


@dataclass(frozen=True)
class ReportFigures(OpSums):
    """What a report says of a function, whatever it is written as.

    `ops` are device ops in order; views and ends of buffers launch nothing and are none.
    """

    function: str
    system: str
    """Name of the device description."""
    chip: ChipDesc = field(repr=False)
    memory: Mapping[str, MemoryUse]
    """By memory: `l1` and `dram`."""
    tables: tuple[EmbeddingTableReport, ...] = ()
    """What became of embedding tables, where Tensor-Train form was asked for."""
    staying: float = 0.0
    """Share of the bytes of all computed tensors that never leave L1."""
    precision: str = ""
    """The name that formats and fidelities were asked for by; empty where none was."""
    bound_ns: float | None = None
    """No placement of the ops is predicted to be faster, as far as `--placement optimal` proved it."""
    greedy_saves_ns: float = 0.0
    """How much shorter the greedy placement is predicted to be than this one, which is more certain."""
    recomputation: Recomputation | None = None
    """What runs again in a step of training, so that it fits."""
    library_default: DefaultRun | None = None
    """The same ops as `ttnn` runs them where nothing is said."""
    buffers: tuple[BufferReport, ...] = field(default=(), repr=False)
    """All that lie in a device's memory while an op runs, in the order in which they come to life."""
    steps: tuple[StepReport, ...] = ()
    """Steps of recurrences, each called several times in a row."""
    per_pass: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many `samples` and `tokens` one pass has, where that was said: shapes do not tell."""

    @property
    def total_ns(self) -> float:
        """Kernels and gaps of the whole function."""
        return self.elapsed_ns

    @property
    def device(self) -> str:
        """The name of the device and the release of `ttnn` that runs there, as titles have them."""
        note = " (extrapolated)" if extrapolation(self.chip.ttnn) else ""
        return f"{self.system}, ttnn {self.chip.ttnn}{note}"

    @property
    def rates(self) -> list[Throughput]:
        """Samples and tokens a second, where it was said how many a pass has; none of a program without ops."""
        return [
            Throughput(what, number, 1e9 * number / self.total_ns, 1e9 * number / self.roofline_ns)
            for what, number in self.per_pass.items()
            if self.total_ns and self.roofline_ns
        ]

    def expected_error(self) -> tuple[float, float]:
        """The error expected of the total, and the share of time that rests on nothing measured.

        Ops without a stated error count with their whole time.
        """
        said = ((op, op.confidence) for op in self.ops)
        parts = ((c.group or op.name, 1.0 if c.error is None else c.error, op.elapsed_ns) for op, c in said)
        return error_of_sum(parts), sum(self.share(op) for op in self.ops if op.confidence.extrapolated)

    @property
    def measured_kernels(self) -> "MeasuredKernels":
        """How many ops have a kernel that was measured on this board, and on this architecture."""
        names = set(self.system.split())
        boards = [op.confidence.boards for op in self.ops if op.confidence.boards is not None]
        return MeasuredKernels(len(self.ops), sum(not names.isdisjoint(of) for of in boards), len(boards))

    @property
    def placement_gap(self) -> float | None:
        """Share of the bound by which the total can exceed the least; None where no bound was proven."""
        if self.bound_ns is None:
            return None
        return max(self.total_ns / self.bound_ns - 1, 0.0) if self.bound_ns else 0.0

    def share(self, part: "TimedPart") -> float:
        """Share of the total time that an op, or ops together, and the gaps after them take."""
        return part.elapsed_ns / self.total_ns if self.total_ns else 0.0

    def shares(self) -> dict[str, float]:
        """Share of the total time by op class, largest first."""
        found: dict[str, float] = {}
        for op in self.ops:
            found[op.op_class] = found.get(op.op_class, 0.0) + self.share(op)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def ordered(self, by: Order = "order") -> list[OpReport]:
        """The ops sorted; ties stay in the order of execution."""
        return sort_ops(self.ops, by)


def sort_ops(ops: Iterable[OpReport], by: Order) -> list[OpReport]:
    """Ops sorted; ties stay as they are."""
    match by:
        case "time":
            return sorted(ops, key=lambda op: -op.elapsed_ns)
        case "op":
            return sorted(ops, key=lambda op: op.name)
        case "order":
            return list(ops)
