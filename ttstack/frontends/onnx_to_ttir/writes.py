"""Values written at indices: caches, and maxima put back where they were."""

import math
from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import broadcast_to, constant, elementwise, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType, TensorType

CONVERSIONS = OnnxConversionTable()


@CONVERSIONS("TensorScatter", to="scatter add remainder reshape broadcast constant")
def _tensor_scatter(call: OnnxOp) -> ir.Value:
    """Scatter the update from each user's position on; circular positions start again at 0."""
    cache, update = call.tensor(0), call.tensor(1)
    shape = read_type(update.type).shape
    dim = axis(call.attribute("axis", -2), len(shape))
    line = TensorType(tuple(n if d == dim else 1 for d, n in enumerate(shape)), DType.I64)
    index = constant(np.arange(shape[dim]).reshape(line.shape), line)
    if not call.is_none(2):
        column = tuple(shape[0] if not d else 1 for d in range(len(shape)))
        both = TensorType(tuple(map(max, column, line.shape)), DType.I64)
        f = partial(elementwise, result=both)
        index = f("add", reshape_to(call.tensor(2), column), index)
        if call.attribute("mode", "linear") == "circular":
            index = f("remainder", index, call.result.shape[dim])
    return ttir.scatter(cache, broadcast_to(index, shape), update, dim=dim)


@CONVERSIONS("MaxUnpool", to="scatter reshape full pad")
def _max_unpool(call: OnnxOp) -> ir.Value:
    """Scatter into zeros of the shape before the pool; a larger output shape is padded."""
    t = read_type(call.tensor(0).type)
    kernel = call.attribute("kernel_shape", [])
    strides = call.attribute("strides", None) or [1] * len(kernel)
    pads = call.attribute("pads", None) or [0] * 2 * len(kernel)
    ends = zip(pads[: len(kernel)], pads[len(kernel) :], strict=True)
    sizes = [(n - 1) * s - sum(pad) + k for n, s, pad, k in zip(t.shape[2:], strides, ends, kernel, strict=True)]
    shape = (*t.shape[:2], *sizes)
    values, places = (reshape_to(call.tensor(i), (t.size,)) for i in (0, 1))
    written = ttir.scatter(splat(0, t.with_shape((math.prod(shape),))), places, values, dim=0)
    image = reshape_to(written, shape)
    padding = [n for have, want in zip(shape, call.result.shape, strict=True) for n in (0, want - have)]
    if min(padding) < 0:
        call.refuse(f"has an output shape that is smaller than {'x'.join(map(str, shape))}", "leave it out")
    return ttir.pad(image, padding=tuple(padding), value=0.0) if any(padding) else image
