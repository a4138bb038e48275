"""Check that buffers are in their memories, and that live buffers do not overlap."""

from collections.abc import Iterator

from ttstack.buffers.memory import Memory
from ttstack.buffers.occupancy import Occupancy
from ttstack.device.layout import MemorySpace
from ttstack.program.buffers import Buffer, bank_bytes, buffers
from ttstack.program.fault import ProgramFault, name_operation, name_value
from ttstack.program.records import Function, Tensor
from ttstack.system_desc import ChipDesc


def memory_faults(function: Function, chip: ChipDesc) -> Iterator[ProgramFault]:
    """Yield the faults of a function's addresses; its references must be valid."""
    made = {result: op.location for op in function.operations for result in op.results}
    for tensor in function.tensors:
        for why in _buffer_faults(function, tensor, chip):
            yield ProgramFault(f"{name_value(function, tensor)} {why}", made.get(tensor.id, ""))
    live = {space: Occupancy[Buffer](Memory.of(chip, space)) for space in MemorySpace}
    first: dict[int, list[Buffer]] = {}
    last: dict[int, list[Buffer]] = {}
    for buffer in buffers(function, chip):
        first.setdefault(buffer.life.first, []).append(buffer)
        last.setdefault(buffer.life.last, []).append(buffer)
    for at in range(max(len(function.operations), 1)):
        for buffer in first.get(at, ()):
            other = live[buffer.space].add(buffer, buffer.start, buffer.nbytes)
            if other is not None:
                yield _fault(function, at, f": {_overlap(function, other, buffer)}")
        for why in _circular_faults(function, at, live[MemorySpace.L1]):
            yield _fault(function, at, f" {why}")
        for buffer in last.get(at, ()):
            live[buffer.space].remove(buffer.start, buffer.nbytes)


def _fault(function: Function, at: int, what: str) -> ProgramFault:
    if not function.operations:
        return ProgramFault(f"before any op{what}")
    op = function.operations[at]
    return ProgramFault(f"{name_operation(function, op)}{what}", op.location)


def _overlap(function: Function, one: Buffer, other: Buffer) -> str:
    named = " and ".join(name_value(function, function.tensors[buffer.tensor]) for buffer in (one, other))
    places = " and ".join(f"{buffer.start:,} to {buffer.start + buffer.nbytes:,}" for buffer in (one, other))
    return f"the buffers of {named} overlap in {one.space}, {places}"


def _buffer_faults(function: Function, tensor: Tensor, chip: ChipDesc) -> Iterator[str]:
    shared = function.tensors[function.owners[tensor.id]]
    space = tensor.layout.memory_space
    memory = Memory.of(chip, space)
    nbytes = bank_bytes(tensor, chip)
    end = tensor.address + nbytes
    if tensor.alias is not None:
        place = shared.layout.memory_space, shared.address
        if place != (space, tensor.address) or nbytes > bank_bytes(shared, chip):
            yield f"is not in the buffer of {name_value(function, shared)}, which it shares"
    elif nbytes and not memory.holds(tensor.address, nbytes):
        usable = f"{memory.base:,} to {memory.end:,}"
        yield f"is at {tensor.address:,} to {end:,} of {space}; usable addresses are {usable}"
    elif tensor.address % memory.alignment:
        yield f"is at {tensor.address:,} of {space}, not a multiple of {memory.alignment}"


def _circular_faults(function: Function, at: int, l1: Occupancy[Buffer]) -> Iterator[str]:
    if not function.operations or not (needed := function.operations[at].circular_buffer_bytes):
        return
    end = l1.memory.base + needed
    circular = f"needs {needed:,} bytes of circular buffers on each core"
    lowest = l1.lowest()
    if end > l1.memory.end:
        yield f"{circular}, L1 has {l1.memory.capacity:,}"
    elif lowest is not None and end > lowest[0]:
        named = name_value(function, function.tensors[lowest[1].tensor])
        yield f"{circular}, {named} is at {lowest[0] - l1.memory.base:,}"
