"""Elementwise ops, and conversions of their elements."""

from typing import Any

from ttstack.device.call_name import call_name
from ttstack.device.sequences.eltwise import plain_ops
from ttstack.ops.base import OPS
from ttstack.ops.eltwise import ActivatedBinary, EltwiseBinary, EltwiseUnary
from ttstack.ops.types import DType, QuantType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, Item, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type

_OF_OPERANDS_FORMAT = ("atan2", "fmod", "logical_left_shift", "logical_right_shift")
"""Ops beside those on bits that give what their operands are, and take no format to give."""

_BROADCAST_RANK = 6
"""Dimensions of what operands of other shapes give, at most."""


@calls(*plain_ops(EltwiseUnary))
def unary(o: PlacedOp) -> Expression:
    """Functions of one number."""
    return o.unary(call_name(o.op))


@calls(*plain_ops(EltwiseBinary))
def binary(o: PlacedOp) -> Expression:
    """Functions of two numbers; the result's format is asked for, because truth values have another one."""
    name = call_name(o.op)
    _check_broadcast(o)
    if name == "div":
        return call(name, *o.operands, rounding_mode="trunc", memory_config=o.memory)
    own = name in _OF_OPERANDS_FORMAT or name.startswith("bitwise_")
    return call(name, *o.operands, dtype=None if own else o.dtype, memory_config=o.memory)


@calls(*(name for name, op in OPS.items() if issubclass(op, ActivatedBinary)))
def activate(o: PlacedOp) -> Expression:
    """With what operands and result go through."""
    places = {
        "input_tensor_a_activations": o.op.lhs_activation,
        "input_tensor_b_activations": o.op.rhs_activation,
        "activations": o.op.activation,
    }
    given = {place: [activation(name)] for place, name in places.items() if name}
    return call(o.op.function, *o.operands, **given, dtype=o.dtype, memory_config=o.memory)


def _check_broadcast(o: PlacedOp) -> None:
    rank = o.op.results[0].rank
    if o.op.lhs.shape != o.op.rhs.shape and rank > _BROADCAST_RANK:
        raise NoCallError(f"a broadcast of {rank} dimensions: of {_BROADCAST_RANK} at most")


@calls("gelu", "gelu_fast", "gelu_tanh")
def gelu(o: PlacedOp) -> Expression:
    """The exact form, that by a table of lines, and that by the hyperbolic tangent."""
    variant = {"gelu": "Accurate", "gelu_fast": "FastLut", "gelu_tanh": "Tanh"}[o.op.mnemonic]
    return o.unary("gelu", variant=Name(f"ttnn.GeluVariant.{variant}"))


@calls("gelu_bw")
def gelu_bw(o: PlacedOp) -> Expression:
    """The gradient of either form; it comes as a list of one."""
    if o.op.lhs.shape != o.op.rhs.shape:
        raise NoCallError("a derivative of a GELU whose gradient has another shape")
    variant = Name(f"ttnn.GeluVariant.{'Tanh' if o.op.approximate == 'tanh' else 'Accurate'}")
    return Item(call("gelu_bw", *o.operands, variant=variant, memory_config=o.memory), 0)


@calls("leaky_relu")
def leaky_relu(o: PlacedOp) -> Expression:
    """With the slope below zero."""
    return o.unary("leaky_relu", o.op.parameter)


@calls("selu")
def selu(o: PlacedOp) -> Expression:
    """With its two factors."""
    return o.unary("selu", scale=o.op.scale, alpha=o.op.alpha)


@calls("clamp_scalar")
def clamp_scalar(o: PlacedOp) -> Expression:
    """Between two numbers."""
    return o.unary("clamp", min=o.op.min, max=o.op.max)


@calls("clamp_tensor")
def clamp_tensor(o: PlacedOp) -> Expression:
    """Between two tensors."""
    x, least, most = o.operands
    return call("clamp", x, min=least, max=most, memory_config=o.memory)


@calls("where")
def where(o: PlacedOp) -> Expression:
    """One of two, by a condition."""
    return call("where", *o.operands, memory_config=o.memory)


@calls("typecast")
def typecast(o: PlacedOp) -> Expression:
    """Another format, where it is one on the device; as truth values, whether a number is not zero."""
    if o.view:
        return o.operands[0]
    if o.op.results[0].dtype is DType.I1 is not o.op.operands[0].dtype:
        return call("ne", o.operands[0], 0.0, dtype=o.dtype, memory_config=o.memory)
    if o.device_op.operands[0].dtype == o.device_op.results[0].dtype:
        same = o.device_op.operands[0] == o.device_op.results[0]
        return call("clone" if same else "to_memory_config", o.operands[0], memory_config=o.memory)
    return call("typecast", o.operands[0], o.dtype, memory_config=o.memory)


@calls("bitcast_convert")
def bitcast(o: PlacedOp) -> Expression:
    """The same bits as another format."""
    return call("bitcast", o.operands[0], o.dtype, memory_config=o.memory)


@calls("dropout")
def dropout(o: PlacedOp) -> Expression:
    """Zeros at random."""
    op = o.op
    keywords = {"probability": op.prob, "scale": op.scale, "seed": op.seed}
    return o.unary("experimental.dropout", **keywords, use_per_device_seed=op.use_per_device_seed)


@calls("quantize", "quantize_unrolled", "dequantize", "dequantize_unrolled", "requantize", "requantize_unrolled")
def quantize(o: PlacedOp) -> Expression:
    """Between real numbers and integers, by scales and zero points that are numbers or tensors."""
    name, held = o.op.mnemonic.removesuffix("_unrolled"), o.device_op.results[0].dtype
    held = DType.BF16 if held.is_block else held  # which no integers become
    if name == "requantize" and not held.is_float:
        held = DType.SI32  # what axes with a scale for each index give
    keywords: dict[str, Any] = {"dtype": data_type(held), "memory_config": o.memory}
    if o.op.mnemonic != name:
        x = o.as_format(0, DType.SI32) if o.operand_dtype is DType.UI16 else o.operands[0]
        along = o.op.axis if any(t.size > 1 for t in o.op.operands[1:]) else None
        found = call(name, x, *o.operands[1:], axis=along, **keywords)
        shaped = found if o.op.results[0].rank else call("reshape", found, [])
        return o.cast(_limited(o, shaped), held)
    pairs = [_scale(t.dtype) for t in (*o.op.operands, *o.op.results) if isinstance(t.dtype, QuantType)]
    found = call(name, o.operands[0], *(number for pair in pairs for number in pair), **keywords)
    return o.cast(_limited(o, found), held)


def _limited(o: PlacedOp, steps: Expression) -> Expression:
    """Whole numbers within their type, which the library holds in 32 bits and does not limit."""
    found = o.op.results[0].dtype
    if not isinstance(found, QuantType):
        return steps
    low, high = found.range
    return call("clamp", steps, min=low, max=high, memory_config=o.memory)


def _scale(found: QuantType) -> tuple[float, int]:
    if found.axis is not None:
        raise NoCallError("a scale for each index of a dimension is not emitted")
    return found.scales[0], found.zero_points[0]


def activation(mnemonic: str) -> Call:
    """An elementwise op as the end of another one; of a GELU, the exact form or the fast one is asked for."""
    fast = {"gelu": 0.0, "gelu_fast": 1.0}.get(mnemonic)
    kind = Name(f"ttnn.UnaryOpType.{mnemonic.upper().removesuffix('_FAST')}")
    return call("UnaryWithParam", kind, *([] if fast is None else [fast]))
