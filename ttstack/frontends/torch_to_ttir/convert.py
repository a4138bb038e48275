"""What the conversion of the torch dialect is given: builtin tensors at the boundary, and constants to read."""

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
    """Convert every function of the module in place; the conversions are given `call`s.

    Raises:
        UnsupportedOpError: ops without a conversion, all of them; or all uses of ops in a form that has none.
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
