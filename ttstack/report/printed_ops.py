"""Ops of reports as JSON."""

from typing import Any

from typing_extensions import TypedDict

from ttstack.report.model import CallReport


class TensorJson(TypedDict):
    """An operand or result."""

    name: str
    type: str
    """Shape and element type in the source, as `tensor<128x256xbf16>`."""
    layout: str
    """Element format, tiling, memory and shards."""


class OpJson(TypedDict):
    """One device op and its predicted cost."""

    index: int
    """Its number, which `explain` takes."""
    name: str
    """Mnemonic of the `ttnn` op."""
    op_class: str
    op_code: str
    """Name of the device operation in tt-metal's profiler."""
    location: str
    """Where in the source it comes from."""
    elapsed_ns: float
    """Kernel and gap."""
    kernel_ns: float
    gap_ns: float
    """From the end of the kernel to the start of the next one."""
    share: float
    """What it takes of the total."""
    bound: str
    """The largest term."""
    bound_share: float
    """What that is of the kernel; of an op bound by its launch, of kernel and gap."""
    cores: int
    grid: str
    """Rows by columns of cores, as `7x8`."""
    fidelity: str
    flops: int
    """Floating-point operations as users count them."""
    dram_bytes: int
    noc_bytes: int
    flops_utilisation: float
    """Share of the peak of matrix units at its fidelity."""
    dram_utilisation: float
    """Share of the peak of DRAM."""
    roofline_ns: float
    """The least time that these peaks allow."""
    measured_class: str
    """The measurements that its time rests on; empty where there are none."""
    expected_error: float | None
    """Two of three measurements like it lie within this share; null where there are none."""
    extrapolated: bool
    """Whether nothing like it was measured."""
    l1_bytes: int
    """In use of the fullest core while it runs."""
    visited_share: float | None
    """Share of the tiles of scores that attention visits; null of other ops, and of masks not known before a run."""
    terms: dict[str, float]
    """Nanoseconds by term; the page on the cost model says what each is."""
    expected_interval: list[float] | None
    """Shares below and above the prediction, where they differ."""
    beyond: list[str]
    """What lies outside of what was measured."""
    doubt_ns: float
    calls: list[CallReport]
    """What the library is asked for in its place, where that is more than one kernel."""
    operands: list[TensorJson]
    results: list[TensorJson]
    attributes: dict[str, Any]
    """By name, as the op's definition has them."""
    config: dict[str, int | str]
    """The program configuration; empty where it has none."""


class PairJson(TypedDict):
    """An op before and after; null on the side that has none."""

    name: str
    location: str
    before_index: int | None
    after_index: int | None
    before_elapsed_ns: float | None
    after_elapsed_ns: float | None
    delta_ns: float
    before_bound: str | None
    after_bound: str | None
    before_terms: dict[str, float] | None
    after_terms: dict[str, float] | None
