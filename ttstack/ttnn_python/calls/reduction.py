"""Reductions, scans and softmax."""

from typing import Any

from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.formats import compute_format
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, layout


@calls("sum", "mean", "max", "min")
def reduction(o: PlacedOp) -> Expression:
    """Along one dimension or several."""
    return _whole(o, dim=list(o.op.dims), keepdim=o.op.keep_dim, compute_kernel_config=o.compute)


@calls("prod")
def prod(o: PlacedOp) -> Expression:
    """Along one dimension."""
    return _whole(o, dim=_one(o), keepdim=o.op.keep_dim)


@calls("reduce_and", "reduce_or")
def truth(o: PlacedOp) -> Expression:
    """The least or greatest of ones and zeros."""
    ones = call("ne", o.operands[0], 0.0)
    name = "min" if o.op.mnemonic == "reduce_and" else "max"
    found = call(name, ones, dim=list(o.op.dims), keepdim=o.op.keep_dim, memory_config=o.memory)
    return o.cast(found, o.device_op.operands[0].dtype)


@calls("argmax")
def argmax(o: PlacedOp) -> Expression:
    """Along one dimension, or of all elements."""
    dim = _one(o) if o.op.dim_arg else None
    x = o.as_format(0, compute_format("argmax", o.operand_dtype))
    x = call("to_layout", x, Name("ttnn.ROW_MAJOR_LAYOUT")) if dim is None else x
    found = call("argmax", x, dim=dim, keepdim=o.op.keep_dim, memory_config=o.memory)
    return o.cast(call("to_layout", found, layout(o.result[1])), DType.UI32)


@calls("cumsum", "cumprod")
def scan(o: PlacedOp) -> Expression:
    """Along one dimension."""
    return call(o.op.mnemonic, o.operands[0], dim=o.op.dim, dtype=o.dtype, memory_config=o.memory)


@calls("softmax")
def softmax(o: PlacedOp) -> Expression:
    """Along one dimension, less the greatest where asked for."""
    stable = o.op.numericStable
    return o.unary("softmax", dim=o.op.dimension, compute_kernel_config=o.compute, numeric_stable=stable)


def _whole(o: PlacedOp, **keywords: Any) -> Expression:
    """The call of the op's name, in a format that it takes."""
    name = o.op.mnemonic
    held = compute_format(name, o.operand_dtype)
    return o.cast(call(name, o.as_format(0, held), **keywords, memory_config=o.memory), held)


def _one(o: PlacedOp) -> int:
    if len(o.op.dims) != 1:
        raise NoCallError(f"{o.op.mnemonic} along {len(o.op.dims)} dimensions: one at a time")
    return o.op.dims[0]
