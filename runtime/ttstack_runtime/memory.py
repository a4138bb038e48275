"""A simulated memory: buffers at their assigned addresses, and what is wrong with them."""

from dataclasses import dataclass

from ttstack.buffers.memory import Memory
from ttstack.buffers.occupancy import Occupancy
from ttstack.diagnostics import ExecutionError

_HINT = "addresses do not fit this device; compile the program again for it"


@dataclass(frozen=True)
class Buffer:
    """What one tensor takes of one bank: `size` bytes from `start` on."""

    name: str
    start: int
    size: int

    def __str__(self) -> str:
        return f"{self.name} takes {self.start:#x} to {self.start + self.size:#x}, {self.size} bytes"


@dataclass(frozen=True)
class Moment:
    """The operation that asks: where an error is reported."""

    operation: str
    location: str = ""


class SimulatedMemory:
    """One bank of a memory whose banks are all alike: a core's L1, or a DRAM channel.

    Programs allocate in lock-step: a buffer takes the same addresses in every bank, as many as its fullest
    bank needs.
    """

    def __init__(self, name: str, memory: Memory) -> None:
        self.name = name
        self._memory = memory
        self._live: Occupancy[Buffer] = Occupancy(memory)

    @property
    def used(self) -> int:
        """Bytes of all live buffers."""
        return self._live.used

    def allocate(self, buffer: Buffer, moment: Moment) -> None:
        """Place a buffer.

        Raises:
            ExecutionError: it is outside of the memory, or a live buffer has some of its bytes.
        """
        self._check_bounds(buffer, moment)
        other = self._live.add(buffer, buffer.start, buffer.size)
        if other is not None:
            raise self._overlap(buffer, other, moment)

    def release(self, buffer: Buffer) -> None:
        """End a buffer that was allocated here."""
        self._live.remove(buffer.start, buffer.size)

    def check_scratch(self, size: int, moment: Moment) -> None:
        """Check that the lowest `size` bytes are free.

        Raises:
            ExecutionError: a live buffer lies there, or the memory has fewer bytes.
        """
        scratch = Buffer(f"circular buffers of {moment.operation}", self._memory.base, size)
        self.allocate(scratch, moment)
        self.release(scratch)

    def _check_bounds(self, buffer: Buffer, moment: Moment) -> None:
        memory = self._memory
        if not buffer.size or memory.holds(buffer.start, buffer.size):
            return
        raise ExecutionError(
            f"{moment.operation}: {buffer.name} lies outside of {self.name}",
            loc=moment.location or None,
            notes=(str(buffer), f"{self.name} is {memory.base:#x} to {memory.end:#x}, {memory.capacity} bytes"),
            hint=_HINT,
        )

    def _overlap(self, new: Buffer, old: Buffer, moment: Moment) -> ExecutionError:
        return ExecutionError(
            f"{moment.operation}: {new.name} overlaps {old.name} in {self.name}",
            loc=moment.location or None,
            notes=(str(new), str(old)),
            hint=_HINT,
        )
