"""Check that tensors are defined once before their uses, and not used after the end of their buffers."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ttstack.program.buffers import DEALLOCATE
from ttstack.program.fault import ProgramFault, name_operation, name_tensor
from ttstack.program.records import Function, Operation, TensorKind


@dataclass
class _References:
    """The defined and the deallocated tensors after each op."""

    function: Function
    defined: set[int] = field(default_factory=set[int])
    ended: set[int] = field(default_factory=set[int])

    def use(self, tensor: int) -> str | None:
        """Why a tensor cannot be used here."""
        if not 0 <= tensor < len(self.function.tensors):
            return f"tensor {tensor}, which there is not"
        named = name_tensor(self.function.tensors[tensor])
        if tensor not in self.defined:
            return f"{named}, which is not defined before"
        if self.function.owners[tensor] in self.ended:
            return f"{named}, whose buffer is deallocated before"
        return None

    def define(self, tensor: int) -> str | None:
        """Why a tensor cannot be defined here."""
        if not 0 <= tensor < len(self.function.tensors):
            return f"tensor {tensor}, which there is not"
        record = self.function.tensors[tensor]
        if tensor in self.defined:
            return f"{name_tensor(record)} a second time"
        if record.alias is not None and (why := self.use(record.alias)):
            return f"{name_tensor(record)} in the buffer of {why}"
        self.defined.add(tensor)
        return None


def reference_faults(function: Function) -> Iterator[ProgramFault]:
    """Yield faults of operands, results and ended buffers of a function; aliases must be existing tensors."""
    state = _References(function)
    for tensor in function.inputs:
        if why := state.define(tensor):
            yield ProgramFault(f"the inputs define {why}")
        if function.tensors[tensor].kind is TensorKind.INTERMEDIATE:
            named = name_tensor(function.tensors[tensor])
            yield ProgramFault(f"{named} is an input, and recorded as {TensorKind.INTERMEDIATE}")
    for op in function.operations:
        for why in _operation_faults(state, op):
            yield ProgramFault(f"{name_operation(function, op)} {why}", op.location)
    for output in function.outputs:
        if why := state.use(output.tensor):
            yield ProgramFault(f"output '{output.name}' is {why}")
    for tensor in function.tensors:
        if tensor.id not in state.defined:
            yield ProgramFault(f"{name_tensor(tensor)} is never defined")


def _operation_faults(state: _References, op: Operation) -> Iterator[str]:
    function = state.function
    for tensor in op.operands:
        if tensor is not None and (why := state.use(tensor)):
            yield f"takes {why}"
    for tensor in op.results:
        if why := state.define(tensor):
            yield f"defines {why}"
        record = function.tensors[tensor]
        if record.kind is not TensorKind.INTERMEDIATE:
            yield f"defines {name_tensor(record)}, which is recorded as {record.kind}"
    if op.name == DEALLOCATE:
        for tensor in (function.tensors[i] for i in op.operands if i is not None):
            if tensor.alias is not None:
                shared = name_tensor(function.tensors[function.owners[tensor.id]])
                yield f"ends {name_tensor(tensor)}, whose buffer is that of {shared}"
            state.ended.add(tensor.id)
