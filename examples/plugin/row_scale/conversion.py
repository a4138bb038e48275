"""`stablehlo.custom_call @mine.row_scale` becomes the op."""

from row_scale import op as _defined  # noqa: F401  (the op must be there)
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.conversion import SourceOp
from ttstack.frontends.stablehlo_to_ttir import OTHERS
from ttstack.mlir import ir


@OTHERS("@mine.row_scale", to="row_scale")
def _row_scale(call: SourceOp) -> ir.Value:
    """The op of the same name."""
    return ttir.build("row_scale", call.tensor(0), call.tensor(1))
