"""What a function does to the device's memories, operation by operation, without any values."""

from dataclasses import dataclass

from ttstack.device.layout import MemorySpace
from ttstack.diagnostics import ExecutionError
from ttstack.program.buffers import DEALLOCATE, bank_bytes
from ttstack.program.records import Function, Operation
from ttstack.system_desc import ChipDesc
from ttstack_runtime.lifetimes import Lifetimes
from ttstack_runtime.memory import Buffer, Memory, Moment


@dataclass(frozen=True)
class MemoryUse:
    """Bytes of one bank of a memory that are taken over the course of a function."""

    memory: str
    capacity: int
    before: int
    """Taken by inputs and weights before the first operation."""
    during: tuple[int, ...]
    """Taken while each operation runs, circular buffers included."""

    @property
    def peak(self) -> int:
        """The most bytes that are ever taken."""
        return max((self.before, *self.during))

    @property
    def peak_operation(self) -> int | None:
        """Position of the first operation with the most bytes; None where none takes more than the inputs."""
        return self.during.index(self.peak) if self.peak > self.before else None


@dataclass(frozen=True)
class MemoryTrace:
    """Use of the device's memories by one function."""

    dram: MemoryUse
    l1: MemoryUse


def replay(function: Function, chip: ChipDesc, lifetimes: Lifetimes | None = None) -> MemoryTrace:
    """Allocate and release every buffer of the function at its address, in order.

    Raises:
        ExecutionError: a buffer overlaps a live one or lies outside of its memory, or a tensor is read before
            it is written or after it is deallocated.
    """
    device = _Device(function, chip, lifetimes or Lifetimes(function))
    before = device.used()
    during = [device.step(position) for position in range(len(function.operations))]
    device.check_outputs()
    dram, l1 = (
        MemoryUse(memory.name, memory.capacity, before[i], tuple(used[i] for used in during))
        for i, memory in enumerate((device.dram, device.l1))
    )
    return MemoryTrace(dram, l1)


class _Device:
    """The memories of one chip while a function runs on it."""

    def __init__(self, function: Function, chip: ChipDesc, lifetimes: Lifetimes) -> None:
        self.dram = Memory("a DRAM channel", chip.dram_base, chip.dram_end)
        self.l1 = Memory("a core's L1", chip.l1_base, chip.l1_end)
        self._function = function
        self._chip = chip
        self._lifetimes = lifetimes
        self._live: dict[int, tuple[Memory, Buffer]] = {}
        self._written: set[int] = set()
        for tensor in function.inputs:
            self._write(tensor, Moment(f"inputs of {function.name}"))

    def used(self, scratch: int = 0) -> tuple[int, int]:
        """Bytes taken of DRAM and of L1, `scratch` bytes of L1 included."""
        return self.dram.used, self.l1.used + scratch

    def step(self, position: int) -> tuple[int, int]:
        """Run one operation; bytes taken meanwhile."""
        operation = self._function.operations[position]
        moment = Moment(operation.name, operation.location)
        for tensor in operation.operands:
            if tensor is not None:
                self._check_readable(tensor, moment)
        for tensor in operation.results:
            self._write(tensor, moment)
        if operation.circular_buffer_bytes:
            self.l1.check_scratch(operation.circular_buffer_bytes, moment)
        used = self.used(operation.circular_buffer_bytes)
        if operation.name == DEALLOCATE:
            self._deallocate(operation)
        return used

    def check_outputs(self) -> None:
        """All outputs of the function can be read."""
        for output in self._function.outputs:
            self._check_readable(output.tensor, Moment(f"outputs of {self._function.name}"))

    def _write(self, tensor: int, moment: Moment) -> None:
        if tensor in self._written:
            raise self._fault(moment, tensor, "is written a second time")
        self._written.add(tensor)
        root = self._lifetimes.roots[tensor]
        if root == tensor:
            memory, buffer = self._place(tensor)
            memory.allocate(buffer, moment)
            self._live[tensor] = memory, buffer
        elif root not in self._live:
            raise self._fault(moment, tensor, f"shares the buffer of {self._name(root)}, which is not allocated")

    def _place(self, tensor: int) -> tuple[Memory, Buffer]:
        t = self._function.tensors[tensor]
        in_l1 = t.layout.memory_space is MemorySpace.L1
        buffer = Buffer(self._name(tensor), t.address, bank_bytes(t, self._chip))
        return (self.l1 if in_l1 else self.dram), buffer

    def _deallocate(self, operation: Operation) -> None:
        """End the buffers of the operands, and with them every tensor that lies there."""
        for tensor in operation.operands:
            if tensor is not None:
                root = self._lifetimes.roots[tensor]
                memory, buffer = self._live.pop(root)
                memory.release(buffer)

    def _check_readable(self, tensor: int, moment: Moment) -> None:
        if tensor not in self._written:
            raise self._fault(moment, tensor, "was never written")
        if self._lifetimes.roots[tensor] not in self._live:
            raise self._fault(moment, tensor, "was deallocated before")

    def _fault(self, moment: Moment, tensor: int, what: str) -> ExecutionError:
        memory, buffer = self._place(tensor)
        return ExecutionError(
            f"{moment.operation}: {self._name(tensor)} {what}",
            loc=moment.location or None,
            notes=(f"{buffer} of {memory.name}",),
            hint="the program's schedule is wrong; compile it again",
        )

    def _name(self, tensor: int) -> str:
        return f"tensor '{self._function.tensors[tensor].name}'"
