"""Check that an operation can run as recorded: its configuration, and the buffer that it shares."""

from collections.abc import Iterator

from ttstack.device.config_limits import config_faults
from ttstack.device.kernel_class import can_be_view
from ttstack.program.records import Function, Operation


def operation_faults(function: Function, op: Operation) -> Iterator[str]:
    """Why an operation cannot run so; its references, types and layouts must be valid.

    What its kernel allocates is not asked: that is what the ttstack that compiled it knew, and placed it by.
    """
    yield from _alias_faults(function, op)
    try:
        why = next(config_faults(function.device_op(op)), None)
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        why = f"has loops that do not fit its operands: {error}"
    if why is not None:
        yield why


def _alias_faults(function: Function, op: Operation) -> Iterator[str]:
    for result in (function.tensors[i] for i in op.results):
        if result.alias is None:
            continue
        shared = f"defines tensor {result.id} '{result.name}' in the buffer of tensor {result.alias}"
        source = op.operands[0] if op.operands else None
        if source is None or function.owners[source] != function.owners[result.id]:
            yield f"{shared}, which is not that of its operand"
        elif not can_be_view(function.definition(op)):
            yield f"{shared}, but makes no view of it"
        elif function.tensors[source].layout != result.layout:
            yield f"{shared}, but as {result.layout}, not {function.tensors[source].layout}"
