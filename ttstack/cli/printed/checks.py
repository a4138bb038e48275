"""What `check` and `perf --calibrate` print as JSON."""

from typing_extensions import TypedDict

from ttstack.calibrate.refit import Refit


class LaunchJson(TypedDict):
    """A device operation of the library."""

    name: str
    kernel: str
    cores: int
    buffer_bytes: int
    """Those of circular buffers on each core."""
    l1_bytes: int


class VerdictJson(TypedDict):
    """What the library says of one op."""

    number: int
    """In reports; -1 of what launches nothing."""
    name: str
    location: str
    accepted: bool
    refusal: str
    """Why it is not; empty where it is."""
    result: str
    """The type that the library gives, where it is another."""
    op_code: str
    buffer_bytes: int
    """Those of circular buffers on each core, here."""
    l1_bytes: int
    library: list[LaunchJson]
    """What it launches there."""


class JudgementJson(TypedDict):
    """What the library says of a program."""

    board: str
    version: str
    """That of ttnn."""
    runs: bool
    """Whether it comes to its end."""
    refusal: str
    """Why not; empty where it does."""
    ops: list[VerdictJson]


class RefittedJson(TypedDict):
    """How figures of a device were fitted to a profile."""

    ops: int
    """Ops of the program that are in the profile."""
    missing: int
    """Ops that are not."""
    changes: list[Refit]
