"""Whether an operation can run as recorded: its configuration, its circular buffers, the buffer that it shares."""

from collections.abc import Iterator

from ttstack.device.config_limits import config_faults
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import footprint
from ttstack.device.kernel_class import is_view
from ttstack.program.records import Function, Operation
from ttstack.system_desc import ChipDesc


def operation_faults(function: Function, op: Operation, chip: ChipDesc) -> Iterator[str]:
    """Why an operation cannot run so; its references, types and layouts must be valid."""
    yield from _alias_faults(function, op)
    try:
        why = next(config_faults(function.device_op(op)), None) or _l1_fault(function.device_op(op), op, chip)
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
        elif not is_view(function.definition(op)):
            yield f"{shared}, but makes no view of it"
        elif function.tensors[source].layout != result.layout:
            yield f"{shared}, but as {result.layout}, not {function.tensors[source].layout}"


def _l1_fault(device_op: DeviceOp, op: Operation, chip: ChipDesc) -> str | None:
    needed = footprint(device_op, chip)
    if op.circular_buffer_bytes >= needed:
        return None
    return f"has {op.circular_buffer_bytes:,} bytes of circular buffers on each core, it needs {needed:,}"
