"""Lookups, which the torch dialect would decompose."""

from ttstack.dialects.ttir.build import reshape_to, slice_along
from ttstack.dialects.types import read_type
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.indexing import pick_rows, positions
from ttstack.mlir import ir
from ttstack.ops.shapes import axis

CONVERSIONS = OnnxConversionTable()


@CONVERSIONS("Gather", to="embedding slice_static permute reshape")
def _gather(call: OnnxOp) -> ir.Value:
    """Gather rows of a table; slice for a constant index. Indices of tables do not count from the end."""
    x, index = call.tensor(0), call.tensor(1)
    shape = read_type(x.type).shape
    dim = axis(call.attribute("axis", 0), len(shape))
    places = call.known_values(1)
    if places is not None and places.size == 1:
        at = int(places.item()) % shape[dim]
        return reshape_to(slice_along(x, dim, at, at + 1), call.result.shape)
    ids_of_table = places is None and len(shape) == 2 and dim == 0
    rows = index if ids_of_table else positions([index], [shape[dim]])
    return reshape_to(pick_rows(x, [dim], rows), call.result.shape)
