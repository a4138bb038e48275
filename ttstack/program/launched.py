"""The operations of a function that launch something, and so have a number: the one that reports give them."""

from ttstack.device.kernel_class import is_free
from ttstack.ops.base import OPS
from ttstack.program.buffers import DEALLOCATE
from ttstack.program.records import Function, Operation, TensorKind

_WEIGHTS = (TensorKind.PARAMETER, TensorKind.CONSTANT)


def launched_positions(function: Function) -> tuple[int, ...]:
    """Return the positions of the operations that launch something in every pass.

    An op's number is its place among these. Ends of buffers and views launch nothing, and weights are put on the
    devices of a mesh before the first pass.
    """
    return tuple(at for at, op in enumerate(function.operations) if _launches(function, op))


def op_numbers(function: Function) -> list[int | None]:
    """Return the number of each operation; None if it launches nothing."""
    numbers: list[int | None] = [None] * len(function.operations)
    for number, at in enumerate(launched_positions(function)):
        numbers[at] = number
    return numbers


def _launches(function: Function, operation: Operation) -> bool:
    if operation.name == DEALLOCATE or loads_weight(function, operation):
        return False
    return bool(OPS[operation.name].functions) or not is_free(function.device_op(operation))


def loads_weight(function: Function, operation: Operation) -> bool:
    """Return True if the operation loads a weight onto a mesh, which is done once, before the first pass."""
    source = function.tensors[operation.operands[0] or 0] if operation.operands else None
    return operation.name == "mesh_shard" and source is not None and source.kind in _WEIGHTS
