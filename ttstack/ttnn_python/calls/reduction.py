"""Reductions, scans and softmax."""

from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import layout


@calls("sum", "mean", "max", "min")
def reduction(o: PlacedOp) -> Expression:
    """Reduce one dimension or several."""
    return o.unary(o.op.mnemonic, dim=list(o.op.dims), keepdim=o.op.keep_dim, compute_kernel_config=o.compute)


@calls("reduce_and", "reduce_or")
def truth(o: PlacedOp) -> Expression:
    """Compute the minimum or maximum of ones and zeros."""
    name = "min" if o.op.mnemonic == "reduce_and" else "max"
    return o.unary(name, dim=list(o.op.dims), keepdim=o.op.keep_dim)


@calls("prod")
def prod(o: PlacedOp) -> Expression:
    """Call it along one dimension."""
    return o.unary("prod", dim=o.op.dims[0], keepdim=o.op.keep_dim)


@calls("argmax")
def argmax(o: PlacedOp) -> Expression:
    """Reduce one dimension, or all elements; positions are in rows."""
    rows = o.unary("argmax", dim=o.op.dims[0] if o.op.dim_arg else None, keepdim=o.op.keep_dim)
    return call("to_layout", rows, layout(o.result[1]))


@calls("cumsum", "cumprod")
def scan(o: PlacedOp) -> Expression:
    """Call it along one dimension."""
    return call(o.op.mnemonic, o.operands[0], dim=o.op.dim, dtype=o.dtype, memory_config=o.memory)


@calls("softmax")
def softmax(o: PlacedOp) -> Expression:
    """Call softmax along one dimension, optionally minus the maximum; with a mask along the last."""
    stable = o.op.numericStable
    if (mask := o.operand("mask")) is not None:
        return o.unary("scale_mask_softmax", mask=mask, compute_kernel_config=o.compute, numeric_stable=stable)
    return o.unary("softmax", dim=o.op.dimension, compute_kernel_config=o.compute, numeric_stable=stable)
