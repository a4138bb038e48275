"""A simulated memory: buffers at their assigned addresses, and what is wrong with them."""

from bisect import bisect_right
from dataclasses import dataclass

from ttstack.diagnostics import ExecutionError

_HINT = "addresses do not fit this device; compile the program again for it"


@dataclass(frozen=True)
class Buffer:
    """What one tensor takes of one bank: bytes from `start` up to `end`."""

    name: str
    start: int
    size: int

    @property
    def end(self) -> int:
        """The first address after it."""
        return self.start + self.size

    def __str__(self) -> str:
        return f"{self.name} takes {self.start:#x} to {self.end:#x}, {self.size} bytes"


@dataclass(frozen=True)
class Moment:
    """The operation that asks: where an error is reported."""

    operation: str
    location: str = ""


class Memory:
    """One bank of a memory whose banks are all alike: a core's L1, or a DRAM channel.

    Programs allocate in lock-step: a buffer takes the same addresses in every bank, as many as its fullest
    bank needs.
    """

    def __init__(self, name: str, base: int, end: int) -> None:
        self.name = name
        self.base = base
        self.end = end
        self.used = 0
        """Bytes of all live buffers."""
        self._starts: list[int] = []
        self._buffers: list[Buffer] = []

    @property
    def capacity(self) -> int:
        """Bytes that programs may use."""
        return self.end - self.base

    def allocate(self, buffer: Buffer, moment: Moment) -> None:
        """Place a buffer.

        Raises:
            ExecutionError: it is outside of the memory, or a live buffer has some of its bytes.
        """
        if not buffer.size:
            return
        self._check_bounds(buffer, moment)
        at = bisect_right(self._starts, buffer.start)
        if at and self._buffers[at - 1].end > buffer.start:
            raise self._overlap(buffer, self._buffers[at - 1], moment)
        if at < len(self._starts) and self._starts[at] < buffer.end:
            raise self._overlap(buffer, self._buffers[at], moment)
        self._starts.insert(at, buffer.start)
        self._buffers.insert(at, buffer)
        self.used += buffer.size

    def release(self, buffer: Buffer) -> None:
        """End a buffer that was allocated here."""
        if not buffer.size:
            return
        at = bisect_right(self._starts, buffer.start) - 1
        del self._starts[at], self._buffers[at]
        self.used -= buffer.size

    def check_scratch(self, size: int, moment: Moment) -> None:
        """Check that the lowest `size` bytes are free.

        Raises:
            ExecutionError: a live buffer lies there, or the memory has fewer bytes.
        """
        scratch = Buffer(f"circular buffers of {moment.operation}", self.base, size)
        self._check_bounds(scratch, moment)
        if self._starts and self._starts[0] < scratch.end:
            raise self._overlap(scratch, self._buffers[0], moment)

    def _check_bounds(self, buffer: Buffer, moment: Moment) -> None:
        if self.base <= buffer.start and buffer.end <= self.end:
            return
        raise ExecutionError(
            f"{moment.operation}: {buffer.name} lies outside of {self.name}",
            loc=moment.location or None,
            notes=(str(buffer), f"{self.name} is {self.base:#x} to {self.end:#x}, {self.capacity} bytes"),
            hint=_HINT,
        )

    def _overlap(self, new: Buffer, old: Buffer, moment: Moment) -> ExecutionError:
        return ExecutionError(
            f"{moment.operation}: {new.name} overlaps {old.name} in {self.name}",
            loc=moment.location or None,
            notes=(str(new), str(old)),
            hint=_HINT,
        )
