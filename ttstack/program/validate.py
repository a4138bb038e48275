"""Whether a program agrees with itself and the device: references, types, layouts, buffers."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ttstack.buffers.memory import Memory
from ttstack.buffers.occupancy import Occupancy
from ttstack.device.layout import Grid, MemorySpace
from ttstack.diagnostics import BinaryFormatError
from ttstack.program.buffers import DEALLOCATE, Buffer, bank_bytes, buffers
from ttstack.program.operation_faults import operation_faults
from ttstack.program.records import Binary, Function, Operation, Tensor, TensorKind
from ttstack.program.signature import signature_fault
from ttstack.system_desc import ChipDesc


def validate(function: Function, chip: ChipDesc, *, origin: str | None = None) -> None:
    """Check everything that a function says about itself and the chip that it runs on.

    Tensors are defined before they are used and not used after their buffer's end; ops are known, and the
    types that they infer are the recorded ones; layouts are legal; configurations count tiles that there are,
    circular buffers are as large as they ask for, and only views share a buffer; buffers lie aligned within
    their memory, and no two that live at the same time overlap, circular buffers of the running op included.

    Args:
        function: The function.
        chip: The chip that it was compiled for.
        origin: The file that it comes from.

    Raises:
        BinaryFormatError: the first fault, by function, op and tensor.
    """
    checks = (_tensor_faults, _reference_faults, _signature_faults, _layout_faults, _placement_faults, _memory_faults)
    for faults in checks:
        for fault in faults(function, chip):
            raise _error(f"function '{function.name}', {fault}", origin)


def validate_binary(binary: Binary, *, origin: str | None = None) -> None:
    """Check all functions of a program on the first chip of its system, and its weights against them.

    Raises:
        BinaryFormatError: the first fault, by function, op and tensor.
    """
    names = [function.name for function in binary.functions]
    if len(set(names)) < len(names):
        raise _error(f"two functions have one name among {', '.join(names)}", origin)
    for function in binary.functions:
        validate(function, binary.chip(function), origin=origin)
        for fault in _weight_faults(function, binary):
            raise _error(f"function '{function.name}', {fault}", origin)


def _error(fault: str, origin: str | None) -> BinaryFormatError:
    return BinaryFormatError(
        "this program contradicts itself",
        loc=origin,
        notes=(fault,),
        hint="compile the model again with this ttstack; if that does not help, report it as a bug",
    )


def _spell(tensor: Tensor) -> str:
    return f"tensor {tensor.id} '{tensor.name}'"


def _at(function: Function, op: Operation) -> str:
    index = next(i for i, other in enumerate(function.operations) if other is op)
    return f"op {index} '{op.name}'"


def _tensor_faults(function: Function, _: ChipDesc) -> Iterator[str]:
    for position, tensor in enumerate(function.tensors):
        if tensor.id != position:
            yield f"{_spell(tensor)} stands at position {position}"
        if tensor.alias is not None and not 0 <= tensor.alias < len(function.tensors):
            yield f"{_spell(tensor)} shares the buffer of tensor {tensor.alias}, which there is not"
    for what, names in (
        ("inputs", [function.tensors[i].name for i in function.inputs if 0 <= i < len(function.tensors)]),
        ("outputs", [output.name for output in function.outputs]),
    ):
        if len(set(names)) < len(names):
            yield f"two {what} have one name among {', '.join(names)}"


@dataclass
class _References:
    """What is defined, and what no longer lives, after each op."""

    function: Function
    defined: set[int] = field(default_factory=set[int])
    ended: set[int] = field(default_factory=set[int])

    def use(self, tensor: int) -> str | None:
        """Why a tensor cannot be used here."""
        if not 0 <= tensor < len(self.function.tensors):
            return f"tensor {tensor}, which there is not"
        spelled = _spell(self.function.tensors[tensor])
        if tensor not in self.defined:
            return f"{spelled}, which is not defined before"
        if self.function.owners[tensor] in self.ended:
            return f"{spelled}, whose buffer is deallocated before"
        return None

    def define(self, tensor: int) -> str | None:
        """Why a tensor cannot be defined here."""
        if not 0 <= tensor < len(self.function.tensors):
            return f"tensor {tensor}, which there is not"
        record = self.function.tensors[tensor]
        if tensor in self.defined:
            return f"{_spell(record)} a second time"
        if record.alias is not None and (why := self.use(record.alias)):
            return f"{_spell(record)} in the buffer of {why}"
        self.defined.add(tensor)
        return None


def _reference_faults(function: Function, _: ChipDesc) -> Iterator[str]:
    state = _References(function)
    for tensor in function.inputs:
        if why := state.define(tensor):
            yield f"the inputs define {why}"
        if function.tensors[tensor].kind is TensorKind.INTERMEDIATE:
            yield f"{_spell(function.tensors[tensor])} is an input, and recorded as {TensorKind.INTERMEDIATE}"
    for op in function.operations:
        yield from _op_reference_faults(state, op)
    for output in function.outputs:
        if why := state.use(output.tensor):
            yield f"output '{output.name}' is {why}"
    for tensor in function.tensors:
        if tensor.id not in state.defined:
            yield f"{_spell(tensor)} is never defined"


def _op_reference_faults(state: _References, op: Operation) -> Iterator[str]:
    function = state.function
    for tensor in op.operands:
        if tensor is not None and (why := state.use(tensor)):
            yield f"{_at(function, op)} takes {why}"
    for tensor in op.results:
        if why := state.define(tensor):
            yield f"{_at(function, op)} defines {why}"
        record = function.tensors[tensor]
        if record.kind is not TensorKind.INTERMEDIATE:
            yield f"{_at(function, op)} defines {_spell(record)}, which is recorded as {record.kind}"
    if op.name == DEALLOCATE:
        for tensor in (function.tensors[i] for i in op.operands if i is not None):
            if tensor.alias is not None:
                shared = _spell(function.tensors[function.owners[tensor.id]])
                yield f"{_at(function, op)} ends {_spell(tensor)}, whose buffer is that of {shared}"
            state.ended.add(tensor.id)


def _signature_faults(function: Function, _: ChipDesc) -> Iterator[str]:
    for op in function.operations:
        if why := signature_fault(function, op):
            yield f"{_at(function, op)} {why}"


def _layout_faults(function: Function, chip: ChipDesc) -> Iterator[str]:
    device = Grid(*chip.grid)
    for tensor in function.tensors:
        if why := tensor.layout.fault(device, chip.dram_banks):
            yield f"{_spell(tensor)}, {tensor.type}, cannot be laid out as {tensor.layout}: {why}"
    for op in function.operations:
        if min(op.grid.rows, op.grid.cols) < 1 or not op.grid.fits(device):
            yield f"{_at(function, op)} runs on {op.grid} cores, the device has {device}"


def _placement_faults(function: Function, chip: ChipDesc) -> Iterator[str]:  # noqa: ARG001  (all take both)
    for tensor in (function.tensors[i] for i in function.inputs):
        if tensor.alias is not None:
            yield f"{_spell(tensor)} is an input, and shares the buffer of tensor {tensor.alias}"
    for op in function.operations:
        for why in operation_faults(function, op):
            yield f"{_at(function, op)} {why}"


def _memory_faults(function: Function, chip: ChipDesc) -> Iterator[str]:
    for tensor in function.tensors:
        yield from _buffer_faults(tensor, function.tensors[function.owners[tensor.id]], chip)
    live = {space: Occupancy[int](Memory.of(chip, space)) for space in MemorySpace}
    first: dict[int, list[Buffer]] = {}
    last: dict[int, list[Buffer]] = {}
    for buffer in buffers(function, chip):
        first.setdefault(buffer.life.first, []).append(buffer)
        last.setdefault(buffer.life.last, []).append(buffer)
    for at in range(max(len(function.operations), 1)):
        for buffer in first.get(at, ()):
            other = live[buffer.space].add(buffer.tensor, buffer.start, buffer.nbytes)
            if other is not None:
                pair = f"{_spell(function.tensors[other])} and {_spell(function.tensors[buffer.tensor])}"
                yield f"{_where(function, at)}: the buffers of {pair} overlap in {buffer.space}"
        yield from _circular_faults(function, at, live[MemorySpace.L1])
        for buffer in last.get(at, ()):
            live[buffer.space].remove(buffer.start, buffer.nbytes)


def _where(function: Function, at: int) -> str:
    return f"op {at} '{function.operations[at].name}'" if function.operations else "before any op"


def _buffer_faults(tensor: Tensor, shared: Tensor, chip: ChipDesc) -> Iterator[str]:
    space = tensor.layout.memory_space
    memory = Memory.of(chip, space)
    nbytes = bank_bytes(tensor, chip)
    end = tensor.address + nbytes
    if tensor.alias is not None:
        place = shared.layout.memory_space, shared.address
        if place != (space, tensor.address) or nbytes > bank_bytes(shared, chip):
            yield f"{_spell(tensor)} does not lie in the buffer of {_spell(shared)}, which it shares"
    elif nbytes and not memory.holds(tensor.address, nbytes):
        usable = f"{memory.base:,} to {memory.end:,}"
        yield f"{_spell(tensor)} lies at {tensor.address:,} to {end:,} of {space}, usable are {usable}"
    elif tensor.address % memory.alignment:
        yield f"{_spell(tensor)} lies at {tensor.address:,} of {space}, no multiple of {memory.alignment}"


def _circular_faults(function: Function, at: int, l1: Occupancy[int]) -> Iterator[str]:
    if not function.operations or not (needed := function.operations[at].circular_buffer_bytes):
        return
    end = l1.memory.base + needed
    circular = f"{_where(function, at)} needs {needed:,} bytes of circular buffers on each core"
    lowest = l1.lowest()
    if end > l1.memory.end:
        yield f"{circular}, L1 has {l1.memory.capacity:,}"
    elif lowest is not None and end > lowest[0]:
        yield f"{circular}, {_spell(function.tensors[lowest[1]])} lies at {lowest[0] - l1.memory.base:,}"


def _weight_faults(function: Function, binary: Binary) -> Iterator[str]:
    for tensor in (function.tensors[i] for i in function.inputs):
        if tensor.kind not in (TensorKind.PARAMETER, TensorKind.CONSTANT):
            continue
        weight = binary.weights.get(tensor.name)
        if weight is None:
            yield f"{_spell(tensor)} is a {tensor.kind}, and the program has no weight of that name"
        elif weight.type != tensor.type:
            yield f"{_spell(tensor)} is {tensor.type}, the weight of that name {weight.type}"
