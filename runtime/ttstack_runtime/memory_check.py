"""What a function does to the device's memories, operation by operation, without any values."""

from ttstack.buffers.memory import Memory
from ttstack.device.layout import MemorySpace
from ttstack.diagnostics import ExecutionError
from ttstack.program.buffers import DEALLOCATE, bank_bytes
from ttstack.program.records import Function, Operation
from ttstack.system_desc import ChipDesc
from ttstack_runtime.memory import Buffer, Moment, SimulatedMemory


def check_memory(function: Function, chip: ChipDesc) -> None:
    """Allocate and release every buffer of the function at its address, in order.

    Raises:
        ExecutionError: a buffer overlaps a live one or lies outside of its memory, or a tensor is read before
            it is written or after it is deallocated.
    """
    device = _Device(function, chip)
    for operation in function.operations:
        device.step(operation)
    device.check_outputs()


class _Device:
    """The memories of one chip while a function runs on it."""

    def __init__(self, function: Function, chip: ChipDesc) -> None:
        self.dram = SimulatedMemory("a DRAM channel", Memory.of(chip, MemorySpace.DRAM))
        self.l1 = SimulatedMemory("a core's L1", Memory.of(chip, MemorySpace.L1))
        self._function = function
        self._chip = chip
        self._live: dict[int, tuple[SimulatedMemory, Buffer]] = {}
        self._written: set[int] = set()
        for tensor in function.inputs:
            self._write(tensor, Moment(f"inputs of {function.name}"))

    def step(self, operation: Operation) -> None:
        """Run one operation."""
        moment = Moment(operation.name, operation.location)
        for tensor in operation.operands:
            if tensor is not None:
                self._check_readable(tensor, moment)
        for tensor in operation.results:
            self._write(tensor, moment)
        if operation.circular_buffer_bytes:
            self.l1.check_scratch(operation.circular_buffer_bytes, moment)
        if operation.name == DEALLOCATE:
            self._deallocate(operation)

    def check_outputs(self) -> None:
        """All outputs of the function can be read."""
        for output in self._function.outputs:
            self._check_readable(output.tensor, Moment(f"outputs of {self._function.name}"))

    def _write(self, tensor: int, moment: Moment) -> None:
        if tensor in self._written:
            raise self._fault(moment, tensor, "is written a second time")
        self._written.add(tensor)
        root = self._function.owners[tensor]
        if root == tensor and self._function.tensors[tensor].alias is not None:
            raise self._fault(moment, tensor, "shares a buffer with itself")
        if root == tensor:
            memory, buffer = self._place(tensor)
            memory.allocate(buffer, moment)
            self._live[tensor] = memory, buffer
        elif root not in self._live:
            raise self._fault(moment, tensor, f"shares the buffer of {self._name(root)}, which is not allocated")

    def _place(self, tensor: int) -> tuple[SimulatedMemory, Buffer]:
        t = self._function.tensors[tensor]
        in_l1 = t.layout.memory_space is MemorySpace.L1
        buffer = Buffer(self._name(tensor), t.address, bank_bytes(t, self._chip))
        return (self.l1 if in_l1 else self.dram), buffer

    def _deallocate(self, operation: Operation) -> None:
        """End the buffers of the operands, and with them every tensor that lies there."""
        for tensor in operation.operands:
            if tensor is not None:
                root = self._function.owners[tensor]
                memory, buffer = self._live.pop(root)
                memory.release(buffer)

    def _check_readable(self, tensor: int, moment: Moment) -> None:
        if tensor not in self._written:
            raise self._fault(moment, tensor, "was never written")
        if self._function.owners[tensor] not in self._live:
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
