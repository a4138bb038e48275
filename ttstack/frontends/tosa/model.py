"""Conversion of a TOSA module to TTIR, with large constants as weights."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.functions import all_functions, join_blocks, refresh_signature
from ttstack.dialects.location import read_location
from ttstack.dialects.signature import ArgumentSignature, write_signature
from ttstack.frontends.stablehlo.external_constants import ExternalConstants
from ttstack.frontends.stablehlo.names import argument_names, result_names
from ttstack.frontends.stablehlo.open_shapes import close_shapes, infer_shapes
from ttstack.frontends.tosa.branches import choose_results
from ttstack.frontends.tosa_to_ttir import tosa_to_ttir
from ttstack.mlir import PassManager, func, ir
from ttstack.program.records import TensorKind

_IN_ONE_PIECE = "builtin.module(inline,symbol-dce)"
_INFER_SHAPES = "builtin.module(func.func(tosa-infer-shapes))"


def convert_module(
    module: ir.Module, data: Mapping[str, memoryview], inputs: object = None
) -> Mapping[str, np.ndarray[Any, Any]]:
    """Convert a TOSA module to TTIR in place; arguments are a function's inputs, then its weights.

    Args:
        module: A module of TOSA functions.
        data: The elements of its resources by name.
        inputs: Shapes of arguments, by name or by position, for extents that the module leaves open.

    Returns:
        The values of the weights by name.

    Raises:
        SourceError: shapes are unknown or do not fit, or resources have no data.
        UnsupportedOpError: it has variables; or lists all ops without a conversion, or in an unsupported form.
    """
    PassManager.parse(_IN_ONE_PIECE).run(module.operation)
    join_blocks(module)
    _refuse_variables(module)
    functions = list(all_functions(module))
    if close_shapes(functions, inputs):
        infer_shapes(module, _INFER_SHAPES)
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


def _refuse_variables(module: ir.Module) -> None:
    for op in module.body.operations:
        if not isinstance(op, func.FuncOp):
            raise UnsupportedOpError(
                f"`{op.operation.name}` cannot be compiled",
                loc=read_location(op.location) or None,
                hint="make state an argument and a result of the function",
            )


def _take_constants(function: func.FuncOp, weights: ExternalConstants) -> None:
    """Turn large constants into arguments, and update the function's type."""
    block = function.regions[0].blocks[0]
    weights.enter(block)
    for op in list(block.operations):
        if op.operation.name == "tosa.const" and (value := weights.argument(op.operation)) is not None:
            op.operation.results[0].replace_all_uses_with(value)
            op.operation.erase()
    refresh_signature(function)
