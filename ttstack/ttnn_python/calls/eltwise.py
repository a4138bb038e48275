"""Elementwise ops, and conversions of their elements."""

from typing import Any

from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import EltwiseBinary, EltwiseUnary
from ttstack.ops.types import QuantType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.placed import Placed
from ttstack.ttnn_python.spelling import NoCallError

_OTHER_NAMES = {
    "div": "divide",
    "right_shift": "bitwise_right_shift",
}
"""Where `ttnn` calls an op otherwise."""


_OF_ONE_FORMAT = ("maximum", "minimum")
"""Ops that take operands of one format only."""


def _alike(*bases: type[Op]) -> list[str]:
    """Ops of these families that have no attributes, and so differ in their names alone."""
    found = ((name, op) for name, op in OPS.items() if issubclass(op, bases) and not op.attribute_specs())
    return [name for name, _ in found]


@calls(*_alike(EltwiseUnary))
def unary(o: Placed) -> Expression:
    """Functions of one number."""
    return o.unary(o.op.mnemonic)


@calls(*_alike(EltwiseBinary))
def binary(o: Placed) -> Expression:
    """Functions of two numbers; the result's format is asked for, because truth values have another one."""
    mnemonic: str = o.op.mnemonic
    name = _OTHER_NAMES.get(mnemonic, mnemonic)
    operands = [*map(o.as_result, range(2))] if name in _OF_ONE_FORMAT else o.operands
    if name == "remainder":
        return o.cast(call("fmod", *o.operands, memory_config=o.memory), o.operand_dtype)
    if name == "divide" and not o.op.lhs.dtype.is_float:
        return o.cast(call("div", *o.operands, rounding_mode="trunc", memory_config=o.memory), o.operand_dtype)
    return call(name, *operands, dtype=o.dtype, memory_config=o.memory)


@calls("gelu", "gelu_tanh")
def gelu(o: Placed) -> Expression:
    """The exact form, and that by the hyperbolic tangent."""
    return o.unary("gelu", fast_and_approximate_mode=o.op.mnemonic == "gelu_tanh")


@calls("leaky_relu")
def leaky_relu(o: Placed) -> Expression:
    """With the slope below zero."""
    return o.unary("leaky_relu", o.op.parameter)


@calls("selu")
def selu(o: Placed) -> Expression:
    """With its two factors."""
    return o.unary("selu", scale=o.op.scale, alpha=o.op.alpha)


@calls("clamp_scalar")
def clamp_scalar(o: Placed) -> Expression:
    """Between two numbers."""
    return o.unary("clamp", min=o.op.min, max=o.op.max)


@calls("clamp_tensor")
def clamp_tensor(o: Placed) -> Expression:
    """Between two tensors."""
    return o.unary("clamp", min=o.operand("min"), max=o.operand("max"))


@calls("where")
def where(o: Placed) -> Expression:
    """One of two, by a condition."""
    return o.cast(call("where", *o.operands, memory_config=o.memory), o.device_op.operands[1].dtype)


@calls("typecast")
def typecast(o: Placed) -> Expression:
    """Another format."""
    if o.device_op.operands[0].dtype == o.device_op.results[0].dtype:
        same = o.device_op.operands[0] == o.device_op.results[0]
        return call("clone" if same else "to_memory_config", o.operands[0], memory_config=o.memory)
    return call("typecast", o.operands[0], o.dtype, memory_config=o.memory)


@calls("bitcast_convert")
def bitcast(o: Placed) -> Expression:
    """The same bits as another format."""
    return call("bitcast", o.operands[0], o.dtype, memory_config=o.memory)


@calls("dropout")
def dropout(o: Placed) -> Expression:
    """Zeros at random."""
    op = o.op
    keywords = {"probability": op.prob, "scale": op.scale, "seed": op.seed}
    return o.unary("experimental.dropout", **keywords, use_per_device_seed=op.use_per_device_seed)


@calls("quantize", "quantize_unrolled", "dequantize", "dequantize_unrolled", "requantize", "requantize_unrolled")
def quantize(o: Placed) -> Expression:
    """Between real numbers and integers, by scales and zero points that are numbers or tensors."""
    name = o.op.mnemonic.removesuffix("_unrolled")
    keywords: dict[str, Any] = {"dtype": o.dtype, "memory_config": o.memory}
    if o.op.mnemonic != name:
        return call(name, *o.operands, axis=o.op.axis, **keywords)
    pairs = [_scale(t.dtype) for t in (*o.op.operands, *o.op.results) if isinstance(t.dtype, QuantType)]
    return call(name, o.operands[0], *(number for pair in pairs for number in pair), **keywords)


def _scale(found: QuantType) -> tuple[float, int]:
    if found.axis is not None:
        raise NoCallError("a scale for each index of a dimension is not emitted")
    return found.scales[0], found.zero_points[0]


def activation(mnemonic: str) -> Name:
    """An elementwise op as the end of another one."""
    fused = {"gelu": "GELU", "gelu_tanh": "GELU", "relu": "RELU", "silu": "SILU", "sigmoid": "SIGMOID", "tanh": "TANH"}
    return Name(f"ttnn.UnaryWithParam(ttnn.UnaryOpType.{fused.get(mnemonic, mnemonic.upper())})")
