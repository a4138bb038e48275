"""Conversion of TOSA to TTIR, one file per family."""

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
        "fourier",
        "image",
        "integers",
        "reduction",
        "shape",
    ),
)

OTHERS = TosaConversionTable()
"""Conversions that plug-ins define: `@OTHERS("name", to="ops")`."""

CONVERSIONS = conversion.join_tables(FAMILIES, OTHERS)
"""All supported TOSA ops by name, as the documentation lists them."""

_SOURCE = conversion.SourceDialect(
    {**CONVERSIONS, **control.CONVERSIONS.by_name}, TosaOp, prefixes=("tosa.",), kept=("tosa.const_shape",)
)

__all__ = ["CONVERSIONS", "FAMILIES", "OTHERS", "tosa_to_ttir"]


def tosa_to_ttir(module: ir.Module) -> None:
    """Convert a module in place; arguments and results stay.

    Raises:
        UnsupportedOpError: lists all ops without a conversion, or all ops in an unsupported form.
    """
    conversion.check(all_functions(module), _SOURCE)
    conversion.convert(module, _SOURCE)
