"""What is wrong with a function, and where."""

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
    """How faults call a tensor."""
    return f"tensor {tensor.id} '{tensor.name}'"


def name_operation(function: Function, op: Operation) -> str:
    """How faults call an operation."""
    index = next(i for i, other in enumerate(function.operations) if other is op)
    return f"op {index} '{op.name}'"
