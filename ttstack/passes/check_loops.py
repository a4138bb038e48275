"""Check that the functions of loops exist, fit them, and do not run themselves."""

from collections.abc import Mapping

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.base import definition_of
from ttstack.dialects.location import read_location
from ttstack.dialects.signature import IN_LOOP, read_arguments
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.control_flow import While
from ttstack.passes.functions import body, called_functions, defined_functions
from ttstack.program.loops import interface_fault
from ttstack.program.records import TensorKind


def check_loops(module: ir.Module) -> None:
    """Check all loops of a module, and remove functions of loops that no program runs.

    Raises:
        InvalidIRError: a loop runs a function that there is not, that runs the loop, or that does not fit it.
    """
    inner = {f.name.value: f for f in defined_functions(module) if IN_LOOP in f.attributes}
    reached: set[str] = set()
    for function in defined_functions(module):
        if function.name.value not in inner:
            _check(function, inner, (), reached)
    for name in inner.keys() - reached:
        inner[name].operation.erase()


def _check(
    function: func.FuncOp, inner: Mapping[str, func.FuncOp], running: tuple[str, ...], reached: set[str]
) -> None:
    for op in body(function):
        for name in called_functions(op):
            fault = _fault(op, name, inner, running)
            if fault is not None:
                what = f"`{op.name}` runs the function '{name}', {fault}"
                raise InvalidIRError(what, loc=read_location(op.location) or None)
            if name not in reached:
                reached.add(name)
                _check(inner[name], inner, (*running, name), reached)


def _fault(op: ir.Operation, name: str, inner: Mapping[str, func.FuncOp], running: tuple[str, ...]) -> str | None:
    if name not in inner:
        return f"which there is not as a function with `{IN_LOOP}`"
    if name in running:
        return "which runs it"
    loop, function = definition_of(op), inner[name]
    assert isinstance(loop, While), "no other op runs functions"
    given = zip(function.type.inputs, read_arguments(function), strict=True)
    taken = [read_type(t) for t, argument in given if argument.kind is TensorKind.INPUT]
    return interface_fault(loop, name, taken, [read_type(t) for t in function.type.results])
