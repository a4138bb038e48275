"""TOSA to TTIR, one file a family."""

from ttstack.dialects.functions import all_functions
from ttstack.frontends import conversion
from ttstack.frontends.tosa_to_ttir import control
from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp
from ttstack.mlir import ir
from ttstack.support.modules import import_modules

FAMILIES = import_modules(
    __name__,
    (
        "contraction",
        "eltwise",
        "image",
        "integers",
        "reduction",
        "shape",
    ),
)

OTHERS = TosaConversionTable()
"""Conversions that plug-ins define: `@OTHERS("name", to="ops")`."""

CONVERSIONS = conversion.join_tables(FAMILIES, OTHERS)
"""Every TOSA op that becomes TTIR, by name: what the docs list."""

_SOURCE = conversion.SourceDialect(
    {**CONVERSIONS, **control.CONVERSIONS.by_name}, TosaOp, prefixes=("tosa.",), kept=("tosa.const_shape",)
)

__all__ = ["CONVERSIONS", "FAMILIES", "OTHERS", "tosa_to_ttir"]


def tosa_to_ttir(module: ir.Module) -> None:
    """Convert a module in place; arguments and results stay.

    Raises:
        UnsupportedOpError: ops without a conversion, all of them; or all uses of ops in a form that has none.
    """
    conversion.check(all_functions(module), _SOURCE)
    conversion.convert(module, _SOURCE)
