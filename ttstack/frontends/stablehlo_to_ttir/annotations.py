"""Calls that annotate a value, and return it unchanged."""

from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("@tt.mark_argument")
def _mark_argument(call: StablehloOp) -> ir.Value:
    """Move an argument's name and kind to the program's argument."""
    return call.tensor(0)


@CONVERSIONS("@tt.sharding_constraint")
def _sharding_constraint(call: StablehloOp) -> ir.Value:
    """Ignore a sharding constraint, which does not change values."""
    return call.tensor(0)


@CONVERSIONS("@tt.weight_dtype_override")
def _weight_dtype_override(call: StablehloOp) -> ir.Value:
    """Ignore a weight's device format, which `--weights-dtype` and overrides set."""
    return call.tensor(0)
