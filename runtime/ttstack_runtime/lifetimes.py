"""How long each tensor of a function is needed, and which tensors share a buffer."""

from ttstack.diagnostics import ExecutionError
from ttstack.program.buffers import DEALLOCATE
from ttstack.program.records import Function, Tensor

NEVER = -1
"""The last read of a tensor that nothing reads."""


class Lifetimes:
    """Last reads and shared buffers of a function, in tables by tensor id.

    Raises:
        ExecutionError: a tensor shares a buffer with itself.
    """

    def __init__(self, function: Function) -> None:
        self.roots = [_root(function.tensors, t) for t in function.tensors]
        """The tensor whose buffer each tensor lies in, itself included."""
        self.last_reads = _last_reads(function)
        """Position of the operation that reads each tensor last; the number of operations for outputs."""

    def ends(self, function: Function) -> list[list[int]]:
        """For each operation, the tensors whose values nothing needs after it."""
        ends: list[list[int]] = [[] for _ in function.operations]
        for position, operation in enumerate(function.operations):
            for tensor in operation.results:
                if self.last_reads[tensor] == NEVER:
                    ends[position].append(tensor)
        for tensor, position in enumerate(self.last_reads):
            if NEVER < position < len(ends):
                ends[position].append(tensor)
        return ends


def _root(tensors: tuple[Tensor, ...], tensor: Tensor) -> int:
    seen = {tensor.id}
    while tensor.alias is not None:
        tensor = tensors[tensor.alias]
        if tensor.id in seen:
            raise ExecutionError(f"tensor '{tensor.name}' shares a buffer with itself")
        seen.add(tensor.id)
    return tensor.id


def _last_reads(function: Function) -> list[int]:
    last = [NEVER] * len(function.tensors)
    for position, operation in enumerate(function.operations):
        if operation.name != DEALLOCATE:
            for tensor in operation.operands:
                if tensor is not None:
                    last[tensor] = position
    for output in function.outputs:
        last[output.tensor] = len(function.operations)
    return last
