"""A fault of a function, with its position."""

from dataclasses import dataclass

from ttstack.program.records import Function, Operation, Tensor


@dataclass(frozen=True)
class ProgramFault:
    """A fault in words, and the place in the source of the operation that has it."""

    text: str
    location: str = ""

    def __str__(self) -> str:
        return self.text


def name_tensor(tensor: Tensor) -> str:
    """Return the name of a tensor in faults."""
    return f"tensor {tensor.id} '{tensor.name}'"


def name_value(function: Function, tensor: Tensor) -> str:
    """Return the name of a tensor of a valid function in faults: of a result the op with its location."""
    op = next((op for op in function.operations if tensor.id in op.results), None)
    if op is None:
        return name_tensor(tensor)
    place = f" at {op.location}" if op.location else ""
    return f"the result of '{op.name}'{place} (tensor {tensor.id})"


def name_operation(function: Function, op: Operation) -> str:
    """Return the name of an operation in faults."""
    index = next(i for i, other in enumerate(function.operations) if other is op)
    return f"op {index} '{op.name}'"
