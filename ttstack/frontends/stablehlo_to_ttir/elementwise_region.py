"""A region applied to each element of several tensors."""

from collections.abc import Sequence

from ttstack.frontends.stablehlo_to_ttir import body
from ttstack.frontends.stablehlo_to_ttir.call import Call
from ttstack.frontends.stablehlo_to_ttir.table import ConversionTable
from ttstack.mlir import ir

CONVERSIONS = ConversionTable()


@CONVERSIONS("map", to="")
def _map(call: Call) -> Sequence[ir.Value]:
    """What the ops of the region become."""
    return body.combined(call, call.block(), call.operands)
