"""What a function does to the device's memories, operation by operation, without any values."""

from itertools import chain

from ttstack.diagnostics import ExecutionError
from ttstack.program.memory_faults import memory_faults
from ttstack.program.records import Function
from ttstack.program.reference_faults import reference_faults
from ttstack.system_desc import ChipDesc


def check_memory(function: Function, chip: ChipDesc) -> None:
    """Allocate and release every buffer of the function at its address, in order.

    Raises:
        ExecutionError: a buffer overlaps a live one or lies outside of its memory, or a tensor is read before
            it is written or after it is deallocated.
    """
    for fault in chain(reference_faults(function), memory_faults(function, chip)):
        raise ExecutionError(
            f"function '{function.name}', {fault}",
            loc=fault.location or None,
            hint="its schedule or its addresses do not fit the device; compile it again",
        )
