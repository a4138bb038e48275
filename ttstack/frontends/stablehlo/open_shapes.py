"""Open extents of a module, set from the user's shapes of its arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from ttstack.diagnostics import SourceError
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.location import read_location
from ttstack.frontends.given_shapes import read_shape, shape_fault, values_by_name
from ttstack.frontends.stablehlo.names import argument_names
from ttstack.mlir import PassManager, func, ir

_CAST = "tensor.cast"
"""A cast to an open shape for a user that may not support a static one."""


def close_shapes(functions: Sequence[func.FuncOp], inputs: object) -> bool:
    """Set the user's shapes of arguments, by name or by position; return True if any were open.

    Raises:
        SourceError: shapes are given for one of several functions; an argument has no known shape, a given shape does
        not fit, or there is no such argument; lists all.
    """
    if inputs is not None and len(functions) != 1:
        names = ", ".join(f.name.value for f in functions)
        raise SourceError(
            f"input shapes apply to one function, but the module has several: {names}", hint="add --function NAME"
        )
    left_open = any(is_open(argument.type) for function in functions for argument in function.arguments)
    for function in functions:
        _close_arguments(function, inputs)
    return left_open


def _close_arguments(function: func.FuncOp, inputs: object) -> None:
    arguments = dict(zip(argument_names(function), function.arguments, strict=True))
    title = f"'{function.name.value}'"
    given = values_by_name(inputs, list(arguments), title)
    faults = [f"there is no input '{name}'" for name in given if name not in arguments]
    for name, argument in arguments.items():
        if name in given:
            fault = _close(argument, given[name])
        else:
            fault = f"is {argument.type}{_place(argument)}" if is_open(argument.type) else ""
        faults += [f"input '{name}' {fault}"] if fault else []
    if faults:
        what = f"the inputs of {title} cannot be compiled as they are"
        raise SourceError(what, notes=tuple(faults), hint=_how_to_give(arguments))
    types = ir.FunctionType.get([a.type for a in function.arguments], function.type.results)
    function.attributes["function_type"] = ir.TypeAttr.get(types)


def is_open(value: ir.Type) -> bool:
    """Return True if an extent of a tensor is unknown."""
    return isinstance(value, ir.ShapedType) and not (value.has_rank and value.has_static_shape)


def infer_shapes(module: ir.Module, pipeline: str) -> None:
    """Infer the shapes of all values from those of the arguments.

    Raises:
        SourceError: some depend on runtime values; lists all.
    """
    with as_diagnostics("the shapes of its inputs do not fit the module"):
        PassManager.parse(pipeline).run(module.operation)
    left: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == _CAST and not is_open(op.operands[0].type):
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()
            return ir.WalkResult.ADVANCE
        left.extend(f"`{op.name}`, {r.type}, at {read_location(op.location)}" for r in op.results if is_open(r.type))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.POST_ORDER)
    if left:
        raise SourceError(
            "extents are known only in a run",
            notes=tuple(left),
            hint="give shapes of all inputs on which they depend, or make them constants of the model",
        )


def _close(argument: ir.BlockArgument, given: Any) -> str:
    """Set the type of an argument; return an error message or an empty string."""
    shape = read_shape(given)
    if shape is None:
        return f"is given as {given!r}, which is not a shape"
    if not isinstance(old := argument.type, ir.RankedTensorType):
        return f"is {old}, which takes no shape"
    fits = len(shape) == old.rank and all(
        old.is_dynamic_dim(i) or old.get_dim_size(i) == extent for i, extent in enumerate(shape)
    )
    if not fits:
        return f"is {old} in the model, and given as {'x'.join(map(str, shape))}"
    if fault := shape_fault(shape):
        return f"cannot be given: {fault}"
    argument.set_type(ir.RankedTensorType.get(shape, old.element_type, old.encoding))
    return ""


def _place(argument: ir.BlockArgument) -> str:
    place = read_location(argument.location)
    return f", at {place}" if place else ""


def _how_to_give(arguments: Mapping[str, ir.BlockArgument]) -> str:
    opened = {name: _extents(a.type) for name, a in arguments.items() if is_open(a.type)} or {
        name: _extents(a.type) for name, a in arguments.items()
    }
    shapes = ", ".join(f'"{name}": ({", ".join(extents)})' for name, extents in opened.items())
    options = " ".join(f"--input {name}={'x'.join(extents)}" for name, extents in opened.items())
    return f"every extent must be known: give inputs={{{shapes}}}, or {options}, with numbers"


def _extents(value: ir.Type) -> Sequence[str]:
    if not isinstance(value, ir.RankedTensorType):
        return ["?"]
    return ["?" if value.is_dynamic_dim(i) else str(value.get_dim_size(i)) for i in range(value.rank)]
