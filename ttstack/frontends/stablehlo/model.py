"""Conversion of a StableHLO module to TTIR, with large constants as weights."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.functions import all_functions, join_blocks
from ttstack.dialects.signature import ArgumentSignature, is_public, write_signature
from ttstack.frontends.conversion.loop_values import drop_loop_values
from ttstack.frontends.stablehlo.arith import spell_as_stablehlo
from ttstack.frontends.stablehlo.complex_numbers import split_complex, write_constants_as_parts
from ttstack.frontends.stablehlo.composites import keep_whole
from ttstack.frontends.stablehlo.donated import donated_arguments, write_to_donors
from ttstack.frontends.stablehlo.external_constants import ExternalConstants
from ttstack.frontends.stablehlo.manual import divide
from ttstack.frontends.stablehlo.names import argument_kinds, argument_names, result_names
from ttstack.frontends.stablehlo.open_shapes import close_shapes, infer_shapes
from ttstack.frontends.stablehlo.partial_eval import Straightener
from ttstack.frontends.stablehlo_to_ttir import CONVERSIONS, check_ops, stablehlo_to_ttir
from ttstack.mlir import func, ir
from ttstack.program.records import TensorKind

_INFER_SHAPES = "builtin.module(stablehlo-refine-shapes)"
_SYMBOL, _MAIN = "sym_name", "main"
"""The function whose arguments define all shapes, if there are several."""


def convert_module(
    module: ir.Module, data: Mapping[str, memoryview], inputs: object = None
) -> Mapping[str, np.ndarray[Any, Any]]:
    """Convert a StableHLO module to TTIR in place; arguments are a function's inputs, then its weights.

    Results that replace donated arguments are written to these.

    Args:
        module: A module of `stablehlo`, `chlo` and `vhlo` ops.
        data: The elements of its resources by name.
        inputs: Shapes of arguments, by name or by position, for extents that the module leaves open.

    Returns:
        The values of the weights by name.

    Raises:
        SourceError: shapes are unknown or do not fit, or resources have no data.
        UnsupportedOpError: lists all ops without a conversion, or all ops in an unsupported form.
    """
    spell_as_stablehlo(module)
    keep_whole(module, CONVERSIONS)
    write_constants_as_parts(module)
    divide(module)
    join_blocks(module)
    functions = {f.name.value: f for f in all_functions(module) if f.regions[0].blocks}
    entries = _entries(module, functions)
    if close_shapes([functions[entry] for entry in entries], inputs):
        _infer_shapes(module, functions, entries)
    weights = ExternalConstants(data)
    straightener = Straightener(functions, weights)
    donated = list[tuple[func.FuncOp, dict[int, int]]]()
    for entry in entries:
        function = functions[entry]
        names, kinds = argument_names(function), argument_kinds(function)
        named = enumerate(zip(names, kinds, strict=True))
        rewritten = straightener.rewrite(function, {i: n for i, (n, kind) in named if kind is TensorKind.PARAMETER})
        pairs = split_complex(rewritten)
        donated.append((rewritten, donated_arguments(function)))
        _sign(
            rewritten,
            _signed(zip(names, kinds, strict=True), pairs.arguments[: len(names)]),
            weights.in_use,
            pairs.results,
        )
    for function in functions.values():
        function.operation.erase()
    check_ops(module)
    stablehlo_to_ttir(module)
    drop_loop_values(module)
    for function, arguments in donated:
        write_to_donors(function, arguments)
    with as_diagnostics("the imported model is invalid"):
        module.operation.verify()
    return weights.values


def _signed(given: Iterable[tuple[str, TensorKind]], pairs: Sequence[bool]) -> list[ArgumentSignature]:
    """Return the signatures of arguments; parameters are pairs of reals for users too."""
    return [
        ArgumentSignature(name, kind, is_complex=is_pair and kind is TensorKind.INPUT)
        for (name, kind), is_pair in zip(given, pairs, strict=True)
    ]


def _sign(
    function: func.FuncOp, arguments: Sequence[ArgumentSignature], weights: Sequence[str], pairs: Sequence[bool]
) -> None:
    *_, last = function.regions[0].blocks[0].operations
    added = [ArgumentSignature(n, TensorKind.PARAMETER) for n in weights]
    names = result_names(function, len(last.operands))
    complex_results = {name for name, is_pair in zip(names, pairs, strict=True) if is_pair}
    write_signature(function, [*arguments, *added], names, complex_results)


def _entries(module: ir.Module, functions: Mapping[str, func.FuncOp]) -> list[str]:
    """Return public functions, without those that ops refer to, unless there are no others."""
    named: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        for key in ("decomposition", "called_computations"):
            if key in op.attributes:
                found = op.attributes[key]
                symbols = found if isinstance(found, ir.ArrayAttr) else [found]
                named.update(ir.FlatSymbolRefAttr(symbol).value for symbol in symbols)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    public = [name for name, f in functions.items() if is_public(f)]
    return [name for name in public if name not in named] or public


def _infer_shapes(module: ir.Module, functions: dict[str, func.FuncOp], entries: Sequence[str]) -> None:
    """Infer all shapes from those of the only entry's arguments; called functions may be replaced."""
    (entry,) = entries
    function, name = functions[entry], functions[entry].name
    if _MAIN not in functions:
        function.attributes[_SYMBOL] = ir.StringAttr.get(_MAIN)
    infer_shapes(module, _INFER_SHAPES)
    function.attributes[_SYMBOL] = name
    functions.clear()
    functions |= {f.name.value: f for f in all_functions(module) if f.regions[0].blocks}
