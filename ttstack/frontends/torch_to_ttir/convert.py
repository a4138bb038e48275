"""Conversion of the torch dialect: builtin tensors at the boundary, and readable constants."""

from collections.abc import Mapping
from typing import Any

from ttstack.dialects.functions import all_functions
from ttstack.frontends.conversion import ConversionRule, SourceDialect, check
from ttstack.frontends.conversion import convert as convert_ops
from ttstack.frontends.torch_to_ttir.boundary import ENTER, LEAVE, convert_signature
from ttstack.frontends.torch_to_ttir.reasons import REASONS
from ttstack.frontends.torch_to_ttir.torch_op import CONSTANT, OPERATOR, TorchOp
from ttstack.frontends.torch_to_ttir.types import builtin_type
from ttstack.mlir import ir


def convert(module: ir.Module, conversions: Mapping[str, ConversionRule[Any]], call: type[TorchOp] = TorchOp) -> None:
    """Convert every function of the module in place; conversions get `call`s.

    Raises:
        UnsupportedOpError: lists all ops without a conversion, or all ops in an unsupported form.
    """
    torch = SourceDialect(
        conversions,
        call,
        prefixes=("torch.",),
        kept=(CONSTANT,),
        generic=(OPERATOR,),
        casts=(ENTER, LEAVE),
        convert_type=builtin_type,
        reasons=REASONS,
    )
    functions = list(all_functions(module))
    check(functions, torch)
    for function in functions:
        convert_signature(function)
    convert_ops(module, torch)
