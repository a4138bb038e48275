"""JSON output of `check`, `filecheck` and `perf --calibrate`."""

from typing_extensions import TypedDict

from ttstack.calibrate.refit import Refit
from ttstack.cli.run_test_file import FailedLine


class LaunchJson(TypedDict):
    """A device operation of the library."""

    name: str
    kernel: str
    cores: int
    buffer_bytes: int
    """Bytes of circular buffers on each core."""
    l1_bytes: int


class VerdictJson(TypedDict):
    """The library's verdict on one op."""

    number: int
    """Number in reports; -1 for ops that launch nothing."""
    name: str
    location: str
    accepted: bool
    refusal: str
    """The reason for a rejection; empty if accepted."""
    result: str
    """The library's result type, if it differs."""
    op_code: str
    buffer_bytes: int
    """Bytes of circular buffers on each core, by ttstack."""
    l1_bytes: int
    library: list[LaunchJson]
    """The library's device operations."""


class JudgementJson(TypedDict):
    """The library's verdict on a program."""

    board: str
    version: str
    """The version of ttnn."""
    runs: bool
    """Whether the program runs completely."""
    refusal: str
    """The reason if it does not; empty otherwise."""
    ops: list[VerdictJson]


class ProfiledOpJson(TypedDict):
    """An op, predicted and measured; times are those of its kernels, without gaps."""

    index: int
    name: str
    location: str
    predicted_ns: float
    measured_ns: float
    difference_ns: float
    likely_ns: list[float] | None
    """The 67 % interval of the measured time; null if its error is unknown."""
    expected: bool
    """Whether the measured time is within the interval."""
    bound: str
    """The resource that the op is predicted to wait for the most."""
    speed: float | None
    """The factor of that resource's speed that would explain the measurement; null if none does."""


class ProfileJson(TypedDict):
    """A program compared with a profile of it."""

    function: str
    system: str
    profile: str
    """Name of the file."""
    predicted_ns: float
    """Predicted time of all kernels that were measured."""
    measured_ns: float
    """Measured time of the same kernels."""
    missing: list[int]
    """Numbers of ops that are not in the profile."""
    others: int
    """Number of kernels in the profile that are not of the program."""
    ops: list[ProfiledOpJson]


class RefittedJson(TypedDict):
    """The fit of a device's parameters to a profile."""

    ops: int
    """Number of the program's ops in the profile."""
    missing: int
    """Number of ops not in the profile."""
    changes: list[Refit]


class TestsJson(TypedDict):
    """Test files whose RUN lines were run."""

    files: int
    lines: int
    """Number of RUN lines."""
    failed: list[FailedLine]
    """RUN lines that failed."""
