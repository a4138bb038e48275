"""Tensors that a function writes to, such as caches: its state."""

from ttstack.ops.base import OPS
from ttstack.program.records import Function


def written_tensors(function: Function) -> set[int]:
    """Return the ids of the tensors whose buffers ops write; for a view, its base tensor."""
    found: set[int] = set()
    for operation in function.operations:
        definition = OPS.get(operation.name)
        if definition is not None and definition.mutates:
            present = [i for i in operation.operands if i is not None]
            found |= {function.owners[present[n]] for n in function.definition(operation).mutated_operands}
    return found


def written_values(loop: Function, carried: int) -> tuple[int, ...]:
    """Return which of a loop's carried values its body writes to, by position; the loop copies them at its start."""
    written, taken = written_tensors(loop), list(loop.arguments.values())
    return tuple(i for i, tensor in enumerate(taken[:carried]) if tensor.id in written)
