"""Reductions, scans and softmax."""

from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed import Placed
from ttstack.ttnn_python.spelling import NoCallError, data_type


@calls("sum", "mean", "max", "min")
def reduction(o: Placed) -> Expression:
    """Along one dimension or several."""
    return o.unary(o.op.mnemonic, dim=list(o.op.dims), keepdim=o.op.keep_dim, compute_kernel_config=o.compute)


@calls("prod")
def prod(o: Placed) -> Expression:
    """Along one dimension."""
    return o.unary("prod", dim=_one(o), keepdim=o.op.keep_dim)


@calls("reduce_and", "reduce_or")
def truth(o: Placed) -> Expression:
    """The least or greatest of ones and zeros."""
    ones = call("ne", o.operands[0], 0.0)
    name = "min" if o.op.mnemonic == "reduce_and" else "max"
    found = call(name, ones, dim=list(o.op.dims), keepdim=o.op.keep_dim, memory_config=o.memory)
    return o.cast(found, o.device_op.operands[0].dtype)


@calls("argmax")
def argmax(o: Placed) -> Expression:
    """Along one dimension, or of all elements."""
    dim = _one(o) if o.op.dim_arg else None
    x = o.operands[0] if o.op.input.dtype.is_float else call("typecast", o.operands[0], data_type(DType.F32))
    return o.cast(call("argmax", x, dim=dim, keepdim=o.op.keep_dim, memory_config=o.memory), DType.UI32)


@calls("cumsum", "cumprod")
def scan(o: Placed) -> Expression:
    """Along one dimension."""
    return call(o.op.mnemonic, o.operands[0], dim=o.op.dim, dtype=o.dtype, memory_config=o.memory)


@calls("softmax")
def softmax(o: Placed) -> Expression:
    """Along one dimension, less the greatest where asked for."""
    stable = o.op.numericStable
    return o.unary("softmax", dim=o.op.dimension, compute_kernel_config=o.compute, numeric_stable=stable)


def _one(o: Placed) -> int:
    if len(o.op.dims) != 1:
        raise NoCallError(f"{o.op.mnemonic} along {len(o.op.dims)} dimensions: one at a time")
    return o.op.dims[0]
