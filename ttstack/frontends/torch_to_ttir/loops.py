"""Loops, whose condition and body are functions of the module."""

from typing import Any

from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

_COUNTS = ("carried", "scanned", "stacked", "trip_count")
WHILE = "torch.ttstack.while"
"""The name by which a loop is imported, with the attributes of `ttir.while`."""


@CONVERSIONS(WHILE, to="while")
def _while(call: TorchOp) -> list[ir.Value]:
    """Use the op, which runs the same functions."""
    written = call.op.attributes
    names = {role: ir.StringAttr(written[role]).value for role in ("condition", "body") if role in written}
    counts = {key: ir.IntegerAttr(written[key]).value for key in _COUNTS if key in written}
    operands, types = map(call.tensor, range(len(call.operands))), [t for t in call.results if t is not None]
    attributes: dict[str, Any] = {**names, **counts}
    return list(ttir.operation("while", *operands, result=types, **attributes).results)
