"""Check that a program is consistent, and fits the device: references, types, layouts, buffers."""

import shlex
from collections.abc import Iterator
from itertools import chain
from typing import cast

from ttstack.device.layout import Grid
from ttstack.diagnostics import BinaryFormatError
from ttstack.ops.base import OPS
from ttstack.program.complex_values import is_pairs
from ttstack.program.fault import name_operation, name_tensor
from ttstack.program.loops import loop_faults
from ttstack.program.memory_faults import memory_faults
from ttstack.program.operation_faults import operation_faults
from ttstack.program.records import Binary, Function, TensorKind
from ttstack.program.reference_faults import reference_faults
from ttstack.program.saved_options import saved_options
from ttstack.program.signature import signature_fault
from ttstack.program.text_faults import text_faults
from ttstack.support.plugins import OPS as PLUGGED_IN
from ttstack.support.plugins import PLUG_INS, load_entry_points
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
    faults = chain(
        _tensor_faults(function),
        _complex_faults(function),
        reference_faults(function),
        _signature_faults(function),
        _layout_faults(function, chip),
        _placement_faults(function),
        loop_faults(function),
        memory_faults(function, chip),
    )
    for fault in faults:
        raise _error(f"function '{function.name}', {fault}", origin)


def validate_binary(binary: Binary, *, origin: str | None = None) -> None:
    """Check all functions of a program on the first chip of its system, and its weights against them.

    Raises:
        BinaryFormatError: the first fault, by function, op and tensor.
    """
    for fault in text_faults(binary):
        raise _error(fault, origin)
    _find_plug_ins(binary, origin)
    names = [function.name for function in binary.functions]
    if len(set(names)) < len(names):
        raise _error(f"two functions have one name among {', '.join(names)}", origin)
    for function in (inside for program in binary.functions for inside in program.with_loops):
        validate(function, binary.chip(function), origin=origin)
        for fault in _weight_faults(function, binary):
            raise _error(f"function '{function.name}', {fault}", origin)


def _find_plug_ins(binary: Binary, origin: str | None) -> None:
    """Import the installed plug-ins that define ops, if the program has unknown ops."""
    if not _unknown(binary):
        return
    load_entry_points(PLUGGED_IN)
    if (unknown := _unknown(binary)) and (modules := _modules(binary.options)).keys() & unknown:
        needed = sorted({modules[name] for name in unknown if name in modules})
        raise BinaryFormatError(
            f"this program needs {', '.join(needed)}, which defines {', '.join(unknown)}",
            loc=origin,
            hint=f"install the plug-in, or name it: ttstack --load {shlex.quote(needed[0])}",
        )


def _unknown(binary: Binary) -> list[str]:
    return sorted(
        {op.name for f in binary.functions for inside in f.with_loops for op in inside.operations} - OPS.keys()
    )


def _modules(options: str) -> dict[str, str]:
    """Return the modules of a program's ops; empty if the text is damaged, which is reported elsewhere."""
    found = saved_options(options).get(PLUG_INS)
    modules = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    return {str(name): str(module) for name, module in modules.items()}


def _error(fault: str, origin: str | None) -> BinaryFormatError:
    return BinaryFormatError(
        "this program contradicts itself",
        loc=origin,
        notes=(fault,),
        hint="compile the model again with this ttstack; if that does not help, report it as a bug",
    )


def _tensor_faults(function: Function) -> Iterator[str]:
    for position, tensor in enumerate(function.tensors):
        if tensor.id != position:
            yield f"{name_tensor(tensor)} is at position {position}"
        if tensor.alias is not None and not 0 <= tensor.alias < len(function.tensors):
            yield f"{name_tensor(tensor)} shares the buffer of tensor {tensor.alias}, which there is not"
    for what, names in (
        ("inputs", [function.tensors[i].name for i in function.inputs if 0 <= i < len(function.tensors)]),
        ("outputs", [output.name for output in function.outputs]),
    ):
        if len(set(names)) < len(names):
            yield f"two {what} have one name among {', '.join(names)}"


def _complex_faults(function: Function) -> Iterator[str]:
    """Yield complex inputs and outputs that are not pairs of reals."""
    for tensor in function.tensors:
        if tensor.is_complex and (tensor.kind is not TensorKind.INPUT or not is_pairs(tensor.type)):
            yield f"{name_tensor(tensor)}, {tensor.type}, is no input of pairs of reals, and recorded as complex"
    for output in function.outputs:
        known = 0 <= output.tensor < len(function.tensors)
        if output.is_complex and known and not is_pairs(t := function.tensors[output.tensor].type):
            yield f"output '{output.name}' is {t}, not pairs of reals, and recorded as complex"


def _signature_faults(function: Function) -> Iterator[str]:
    for op in function.operations:
        if why := signature_fault(function, op):
            yield f"{name_operation(function, op)} {why}"


def _layout_faults(function: Function, chip: ChipDesc) -> Iterator[str]:
    device = Grid(*chip.grid)
    for tensor in function.tensors:
        if why := tensor.layout.fault(device, chip.dram_banks):
            yield f"{name_tensor(tensor)}, {tensor.type}, cannot be laid out as {tensor.layout}: {why}"
    for op in function.operations:
        if min(op.grid.rows, op.grid.cols) < 1 or not op.grid.fits(device):
            yield f"{name_operation(function, op)} runs on {op.grid} cores, the device has {device}"


def _placement_faults(function: Function) -> Iterator[str]:
    for tensor in (function.tensors[i] for i in function.inputs):
        if tensor.alias is not None:
            yield f"{name_tensor(tensor)} is an input, and shares the buffer of tensor {tensor.alias}"
    for op in function.operations:
        for why in operation_faults(function, op):
            yield f"{name_operation(function, op)} {why}"


def _weight_faults(function: Function, binary: Binary) -> Iterator[str]:
    for tensor in (function.tensors[i] for i in function.inputs):
        if tensor.kind not in (TensorKind.PARAMETER, TensorKind.CONSTANT):
            continue
        weight = binary.weights.get(tensor.holds.weight)
        if weight is None:
            yield f"{name_tensor(tensor)} is a {tensor.kind}, and the program has no weight of that name"
        elif why := tensor.holds.fault(tensor.type, weight.type):
            yield f"{name_tensor(tensor)} {why}"
