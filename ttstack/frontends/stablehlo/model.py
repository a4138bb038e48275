"""A StableHLO module as TTIR, with its large constants as weights."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.diagnostics import SourceError
from ttstack.dialects.location import read_location
from ttstack.dialects.signature import ArgumentSignature, write_signature
from ttstack.frontends.stablehlo.names import argument_names, result_names
from ttstack.frontends.stablehlo.read import read_bytes, read_text
from ttstack.frontends.stablehlo.resources import cut, resources
from ttstack.frontends.stablehlo.straighten import Straightener
from ttstack.frontends.stablehlo.weights import Weights
from ttstack.frontends.stablehlo.whole import keep_whole
from ttstack.frontends.stablehlo_to_ttir import CONVERSIONS, check_ops, stablehlo_to_ttir
from ttstack.mlir import ir
from ttstack.program.records import TensorKind
from ttstack.session import as_diagnostics


@dataclass(frozen=True)
class ImportedModel:
    """A TTIR module; arguments of a function are its inputs, then the weights that it uses, by name."""

    module: ir.Module
    weights: Mapping[str, np.ndarray[Any, Any]]


def import_stablehlo(source: str | bytes, name: str) -> ImportedModel:
    """The TTIR of StableHLO text, bytecode or a portable artifact, in the current context.

    Raises:
        SourceError: no StableHLO, cut short or damaged, or with dynamic shapes.
        InvalidIRError: text that does not parse.
        UnsupportedOpError: ops without a conversion, all of them, or all uses of ops in a form that has none.
    """
    if isinstance(source, bytes):
        module = read_bytes(source, name)
        data = resources(module)
    else:
        text, data = cut(source)
        module = read_text(text, name)
    return convert_module(module, data)


def convert_module(module: ir.Module, data: Mapping[str, memoryview]) -> ImportedModel:
    """The TTIR of a StableHLO module, which changes; `data` are the elements of its resources."""
    keep_whole(module, CONVERSIONS)
    weights = Weights(data)
    functions = {f.name.value: f for f in module.body.operations if f.operation.name == "func.func" and f.regions[0].blocks}
    _refuse_dynamic_shapes(functions)
    straightener = Straightener(functions, weights)
    entries = [functions[name] for name in _entries(module, functions)]
    for function in entries:
        names = argument_names(function)
        new = straightener.rewrite(function)
        _sign(new, names, weights.in_use)
    for function in functions.values():
        if function not in entries:
            function.operation.erase()
    check_ops(module)
    stablehlo_to_ttir(module)
    with as_diagnostics("the imported model is invalid"):
        module.operation.verify()
    return ImportedModel(module, weights.values)


def _sign(function: Any, inputs: list[str], weights: tuple[str, ...]) -> None:
    *_, last = function.regions[0].blocks[0].operations
    arguments = [ArgumentSignature(n, TensorKind.INPUT) for n in inputs]
    arguments += [ArgumentSignature(n, TensorKind.PARAMETER) for n in weights]
    write_signature(function, arguments, result_names(function, len(last.operands)))


def _entries(module: ir.Module, functions: Mapping[str, Any]) -> Iterator[str]:
    """Public functions that no op of the module names."""
    named: set[str] = set()

    def visit(op: Any) -> ir.WalkResult:
        for key in ("callee", "decomposition", "called_computations"):
            if key in op.attributes:
                found = op.attributes[key]
                named.update(a.value for a in (found if isinstance(found, ir.ArrayAttr) else [found]))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for name, function in functions.items():
        attributes = function.attributes
        private = "sym_visibility" in attributes and attributes["sym_visibility"].value != "public"
        if not private and name not in named:
            yield name


def _refuse_dynamic_shapes(functions: Mapping[str, Any]) -> None:
    for function in functions.values():
        for argument, name in zip(function.arguments, argument_names(function), strict=True):
            if isinstance(argument.type, ir.RankedTensorType) and not argument.type.has_static_shape:
                raise SourceError(
                    f"argument '{name}' has a dynamic shape, {argument.type}",
                    loc=read_location(argument.location) or None,
                    hint="export the model with a fixed shape for it",
                )
