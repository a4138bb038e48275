"""Ops that reshape or slice, by shapes and values that are constants at this point."""

import numpy as np

from ttstack.dialects.ttir.build import cast, constant, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.indexing import positions
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import TensorType

CONVERSIONS = OnnxConversionTable()


@CONVERSIONS("Reshape", "Flatten", "Squeeze", "Unsqueeze", to="reshape")
def _reshape(call: OnnxOp) -> ir.Value:
    """Reshape to the constant shape."""
    return reshape_to(call.tensor(0), call.result.shape)


@CONVERSIONS("Split", to="slice_static")
def _split(call: OnnxOp) -> list[ir.Value]:
    """Slice each part."""
    x, parts, begin = call.tensor(0), list[ir.Value](), 0
    dim = axis(call.attribute("axis", 0), read_type(x.type).rank)
    for part in filter(None, call.results):
        parts.append(slice_along(x, dim, begin, begin + part.shape[dim]))
        begin += part.shape[dim]
    return parts


@CONVERSIONS("Slice", to="slice_static reverse")
def _slice(call: OnnxOp) -> ir.Value:
    """Slice one dimension after another, after a reversal for negative steps."""
    x = call.tensor(0)
    shape = read_type(x.type).shape
    starts, ends = call.integers_at(1), call.integers_at(2)
    dims = call.integers_at(3, range(len(starts)))
    for start, end, d, step in zip(starts, ends, dims, call.integers_at(4, [1] * len(starts)), strict=True):
        x = _along(x, axis(d, len(shape)), slice(start, end, step))
    return x


def _along(x: ir.Value, dim: int, taken: slice) -> ir.Value:
    extent = read_type(x.type).shape[dim]
    begin, end, step = taken.indices(extent)
    if step > 0:
        return slice_along(x, dim, begin, max(begin, end), step)
    x = ttir.reverse(x, dimensions=(dim,))
    return slice_along(x, dim, extent - 1 - begin, max(extent - 1 - begin, extent - 1 - end), -step)


@CONVERSIONS("OneHot", to="eq typecast where lt add reshape constant")
def _one_hot(call: OnnxOp) -> ir.Value:
    """Compare the index with positions; negative indices count from the end."""
    result, values = call.result, call.tensor(2)
    dim = axis(call.attribute("axis", -1), result.rank)
    depth = result.shape[dim]
    index = call.tensor(0)
    t = read_type(index.type)
    index = positions([reshape_to(index, (*t.shape[:dim], 1, *t.shape[dim:]))], [depth])
    places = np.arange(depth).reshape([-1 if d == dim else 1 for d in range(result.rank)])
    hit = compare("eq", index, constant(places, TensorType(places.shape, t.dtype)))
    known = call.known_values(2)
    if known is not None and known.tolist() == [0, 1]:
        return cast(hit, result.dtype)
    off, on = (reshape_to(slice_along(values, 0, i, i + 1), (1,) * result.rank) for i in (0, 1))
    return where(hit, on, off, result)
