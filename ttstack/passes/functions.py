"""Iteration over the functions of a module."""

from collections.abc import Iterable, Iterator

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.base import definition
from ttstack.dialects.equal_ops import ask_about
from ttstack.dialects.functions import all_functions, only_block
from ttstack.dialects.signature import is_public
from ttstack.dialects.tt.system_desc import SYSTEM_DESC, read_system_desc
from ttstack.mlir import func, ir
from ttstack.system_desc import SystemDesc

FORMATS = "tt.formats"
"""The module attribute with the formats of real numbers that users request."""

_FUNCTION_TYPES = ("tt.function_type", "ttcore.function_type")

TABLES = "tt.tables"
"""The module attribute with the form of its embedding tables."""

FIXED = "tt.fixed_parameters"
"""The module attribute with the names of parameters whose values the module was computed from."""

FINITE = "tt.finite_parameters"
"""The module attribute with the names of parameters that are assumed to be finite."""


def note_parameters(module: ir.Module, attribute: str, names: Iterable[str]) -> None:
    """Add names of parameters to a module attribute, `FIXED` or `FINITE`."""
    if found := sorted({*noted_parameters(module, attribute), *names}):
        module.operation.attributes[attribute] = ir.ArrayAttr.get([ir.StringAttr.get(name) for name in found])


def noted_parameters(module: ir.Module, attribute: str) -> tuple[str, ...]:
    """Return the names of parameters in a module attribute, `FIXED` or `FINITE`."""
    attributes = module.operation.attributes
    found = ir.ArrayAttr(attributes[attribute]) if attribute in attributes else ()
    return tuple(ir.StringAttr(name).value for name in found)


def defined_functions(module: ir.Module) -> Iterator[func.FuncOp]:
    """Iterate over functions with a body, in order."""
    return (function for function in all_functions(module) if function.regions[0].blocks)


def functions(module: ir.Module) -> Iterator[func.FuncOp]:
    """Iterate over functions that are programs, in order: public ones with a body, except tt-mlir's constants."""
    for function in defined_functions(module):
        if is_public(function) and not _makes_constants(function.attributes):
            yield function


def _makes_constants(attributes: ir.OpAttributeMap) -> bool:
    return "const_eval" in attributes or any(
        name in attributes and "const_eval" in str(attributes[name]) for name in _FUNCTION_TYPES
    )


def body(function: func.FuncOp) -> list[ir.Operation]:
    """Return the function's operations in order, its return last.

    Raises:
        InvalidIRError: the function has several blocks.
    """
    return [op.operation for op in only_block(function).operations]


def called_functions(op: ir.Operation) -> tuple[str, ...]:
    """Return the names of the functions that a loop runs; empty for any other op."""
    spec = definition(op)
    written = [op.attributes[name] for name in (spec.functions if spec else ()) if name in op.attributes]
    return tuple(name for attribute in written if (name := ir.StringAttr(attribute).value))


def ops_of_name(module: ir.Module, name: str) -> list[ir.Operation]:
    """Return all ops of that name at any depth, nested ops before the ops that contain them."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def system_desc(module: ir.Module) -> SystemDesc:
    """Return the device description of the module.

    Raises:
        InvalidIRError: the module has none.
    """
    attributes = module.operation.attributes
    if SYSTEM_DESC not in attributes:
        raise InvalidIRError(
            "the module has no device description",
            hint="run 'attach-system-desc{system-desc=wormhole}' first, or give --system-desc",
        )
    return ask_about(read_system_desc, attributes[SYSTEM_DESC])


def replace_ops(module: ir.Module, ops: Iterable[ir.Operation]) -> list[ir.Operation]:
    """Replace the ops of a module, and return the previous ones."""
    replaced = [op.operation for op in module.body.operations]
    for op in replaced:
        op.detach_from_parent()
    for op in ops:
        module.body.append(op)
    return replaced
