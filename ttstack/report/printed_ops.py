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
    """Its number, for `explain`."""
    name: str
    """Mnemonic of the `ttnn` op."""
    op_class: str
    op_code: str
    """Name of the device operation in tt-metal's profiler."""
    location: str
    """Location in the source."""
    elapsed_ns: float
    """Kernel and gap."""
    kernel_ns: float
    gap_ns: float
    """Time from the end of the kernel to the start of the next one."""
    share: float
    """Share of the total time."""
    bound: str
    """The resource that limits it, as listed on the page on the cost model; `none` for an op without time."""
    bound_share: float
    """Share of its time that shrinks as that resource grows: 1 if all of it does."""
    cores: int
    """Cores of its kernel; for a composite op, the maximum over its kernels."""
    grid: str
    """Rows by columns of cores that placement gave it, as `7x8`; kernels of a composite op choose their own."""
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
    """Class of measurements behind its error; empty if there are none."""
    expected_error: float | None
    """67 % of similar measurements are within this share of the prediction; null if there are none."""
    trust: str
    """`measured`, `similar` (its class was measured, with tensors elsewhere) or `extrapolated`."""
    l1_bytes: int
    """Bytes in use on the fullest core during the op."""
    visited_share: float | None
    """Share of the tiles of scores that attention visits; null of other ops, and of masks not known before a run."""
    sensitivity: dict[str, float]
    """Share of its time that 10 % more of each resource saves, largest first."""
    terms: dict[str, float]
    """Nanoseconds by term; the page on the cost model explains each."""
    likely_ns: list[float] | None
    """67 % interval of its time; null if its error is unknown."""
    beyond: list[str]
    """Properties of the op that are outside of the measured range."""
    doubt_ns: float
    calls: list[CallReport]
    """Calls of the library that implement the op, if there are several kernels."""
    operands: list[TensorJson]
    results: list[TensorJson]
    attributes: dict[str, Any]
    """Attributes by name, as in the op's definition."""
    config: dict[str, int | str]
    """The program configuration; empty if there is none."""


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
