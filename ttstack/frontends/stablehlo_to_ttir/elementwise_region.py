"""Regions applied to each element of several tensors."""

from collections.abc import Sequence

from ttstack.frontends.stablehlo_to_ttir import body
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("map", to="")
def _map(call: StablehloOp) -> Sequence[ir.Value]:
    """Convert the ops of the region."""
    return body.apply_region(call, call.block(), call.operands)
