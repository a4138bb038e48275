"""Reports all unsupported ops of a module at once."""

from collections import Counter

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.location import read_location
from ttstack.dialects.types import read_type
from ttstack.frontends.unsupported import unsupported_error
from ttstack.mlir import func, ir
from ttstack.passes.check_loops import check_loops
from ttstack.passes.functions import defined_functions, functions

_HOST = {"func.return", "func.call", "tensor.empty", "builtin.unrealized_conversion_cast"}


def check_supported(module: ir.Module) -> None:
    """Check that a module has a public function, only tensors as arguments and results, only `ttir`, and whole loops.

    Raises:
        InvalidIRError: there is nothing to compile, a function has arguments or results other than tensors of
        programs, or a loop runs a function that does not fit it.
        UnsupportedOpError: lists all unsupported ops, how often each occurs, and where first.
    """
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    if not any(True for _ in functions(module)):
        several = sum(op.operation.name == "builtin.module" for op in module.body.operations) > 1
        raise InvalidIRError(
            "there are several modules" if several else "the module has no public function with a body",
            hint="compile one at a time" if several else "define functions in the outermost module, as func.func @name",
        )
    for function in defined_functions(module):
        for block in function.regions[0].blocks:
            for op in block.operations:
                _visit(op.operation, found, first)
    if found:
        raise unsupported_error(found, first)
    for function in defined_functions(module):
        _check_types(function)
    check_loops(module)


def _check_types(function: func.FuncOp) -> None:
    kinds = (("argument", function.type.inputs), ("result", function.type.results))
    faults = [
        f"{kind} {i}: {fault}" for kind, types in kinds for i, t in enumerate(types) if (fault := _fault(t)) is not None
    ]
    if faults:
        raise InvalidIRError(
            f"function '{function.name.value}' has an input or output that is not a tensor of known shape and type",
            loc=read_location(function.location),
            notes=tuple(faults),
            hint="make a number a tensor of one element, such as tensor<1xf32>",
        )


def _fault(mlir_type: ir.Type) -> str | None:
    try:
        read_type(mlir_type)
    except ValueError as e:
        return str(e)
    return None


def _visit(op: ir.Operation, found: Counter[str], first: dict[str, str]) -> None:
    if op.name.startswith("ttir.") or op.name in _HOST:
        return
    found[op.name] += 1
    first.setdefault(op.name, read_location(op.location))
