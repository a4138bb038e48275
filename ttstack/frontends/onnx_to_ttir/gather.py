"""Lookups, which the torch dialect would take apart."""

from ttstack.dialects.ttir.build import reshaped
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import sliced
from ttstack.frontends.onnx_to_ttir.call import Call, ConversionTable
from ttstack.frontends.torch_to_ttir.indexing import picked_rows, positions
from ttstack.mlir import ir
from ttstack.ops.shapes import axis

CONVERSIONS = ConversionTable()


@CONVERSIONS("Gather", to="embedding slice_static permute reshape")
def _gather(call: Call) -> ir.Value:
    """Rows of a table; a slice where one place is picked that is known. Ids of tables do not count from the end."""
    x, index = call.tensor(0), call.tensor(1)
    shape = read_type(x.type).shape
    dim = axis(call.attribute("axis", 0), len(shape))
    places = call.known(1)
    if places is not None and places.size == 1:
        at = int(places.item()) % shape[dim]
        return reshaped(sliced(x, dim, at, at + 1), call.result.shape)
    ids_of_table = places is None and len(shape) == 2 and dim == 0
    rows = index if ids_of_table else positions([index], [shape[dim]])
    return reshaped(picked_rows(x, [dim], rows), call.result.shape)
