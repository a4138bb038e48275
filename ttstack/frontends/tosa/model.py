"""From a TOSA module to TTIR, with its large constants as weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ttstack.context import as_diagnostics
from ttstack.diagnostics import SourceError, UnsupportedOpError
from ttstack.dialects.location import read_location
from ttstack.dialects.signature import ArgumentSignature, write_signature
from ttstack.frontends.stablehlo.external_constants import ExternalConstants
from ttstack.frontends.stablehlo.names import argument_names, result_names
from ttstack.frontends.tosa.branches import choose_results
from ttstack.frontends.tosa_to_ttir import tosa_to_ttir
from ttstack.mlir import PassManager, func, ir
from ttstack.program.records import TensorKind

_IN_ONE_PIECE = "builtin.module(inline,symbol-dce)"


def convert_module(module: ir.Module, data: Mapping[str, memoryview]) -> Mapping[str, np.ndarray[Any, Any]]:
    """Make a TOSA module TTIR in place; arguments of a function are its inputs, then the weights that it uses.

    Args:
        module: Of functions whose ops are TOSA's.
        data: The elements of its resources by name.

    Returns:
        The values of the weights by name.

    Raises:
        SourceError: dynamic shapes, or resources without data.
        UnsupportedOpError: variables; ops without a conversion, all of them, or all uses of ops in a form without one.
    """
    PassManager.parse(_IN_ONE_PIECE).run(module.operation)
    functions: list[Any] = list(module.body.operations)
    for function in functions:
        _check(function)
    weights = ExternalConstants(data, "values")
    for function in functions:
        names = argument_names(function)
        choose_results(function.regions[0].blocks[0])
        _take_constants(function, weights)
        *_, last = function.regions[0].blocks[0].operations
        arguments = [ArgumentSignature(name, TensorKind.INPUT) for name in names]
        arguments += [ArgumentSignature(name, TensorKind.PARAMETER) for name in weights.in_use]
        write_signature(function, arguments, result_names(function, len(last.operands)))
    tosa_to_ttir(module)
    with as_diagnostics("the imported model is invalid"):
        module.operation.verify()
    return weights.values


def _check(function: func.FuncOp) -> None:
    """Refuse variables, and arguments of dynamic shape."""
    if function.operation.name != "func.func":
        raise UnsupportedOpError(
            f"`{function.operation.name}` cannot be compiled",
            loc=read_location(function.location) or None,
            hint="make state an argument and a result of the function",
        )
    for argument, name in zip(function.arguments, argument_names(function), strict=True):
        if isinstance(argument.type, ir.RankedTensorType) and not argument.type.has_static_shape:
            raise SourceError(
                f"argument '{name}' has a dynamic shape, {argument.type}",
                loc=read_location(argument.location) or None,
                hint="export the model with a fixed shape for it",
            )


def _take_constants(function: func.FuncOp, weights: ExternalConstants) -> None:
    """Let large constants be arguments."""
    block = function.regions[0].blocks[0]
    weights.enter(block)
    for op in list(block.operations):
        if op.operation.name == "tosa.const" and (value := weights.argument(op.operation)) is not None:
            op.operation.results[0].replace_all_uses_with(value)
            op.operation.erase()
    inputs, results = [a.type for a in block.arguments], function.type.results
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))
