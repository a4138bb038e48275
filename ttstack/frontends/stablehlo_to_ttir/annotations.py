"""Calls that say something of a value, and give it as it is."""

from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("@tt.mark_argument")
def _mark_argument(call: StablehloOp) -> ir.Value:
    """An argument's name and kind, which the program's argument gets."""
    return call.tensor(0)


@CONVERSIONS("@tt.sharding_constraint")
def _sharding_constraint(call: StablehloOp) -> ir.Value:
    """How a value may be divided over chips: values are the same without."""
    return call.tensor(0)


@CONVERSIONS("@tt.weight_dtype_override")
def _weight_dtype_override(call: StablehloOp) -> ir.Value:
    """A weight's format on the device is for `--weights-dtype` and overrides to say."""
    return call.tensor(0)
