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
"""Ops, in addition to bitwise ones, that return their operands' format and have no format option."""

_BROADCAST_RANK = 6
"""Maximum rank of broadcast results."""


@calls(*plain_ops(EltwiseUnary))
def unary(o: PlacedOp) -> Expression:
    """Call a unary function."""
    return o.unary(call_name(o.op))


@calls(*plain_ops(EltwiseBinary))
def binary(o: PlacedOp) -> Expression:
    """Call a binary function with an explicit result format, as bools have another one."""
    name = call_name(o.op)
    _check_broadcast(o)
    if name == "div":
        return call(name, *o.operands, rounding_mode="trunc", memory_config=o.memory)
    own = name in _OF_OPERANDS_FORMAT or name.startswith("bitwise_")
    return call(name, *o.operands, dtype=None if own else o.dtype, memory_config=o.memory)


@calls(*(name for name, op in OPS.items() if issubclass(op, ActivatedBinary)))
def activate(o: PlacedOp) -> Expression:
    """Add activations of operands and result."""
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
        raise NoCallError(f"a broadcast of {rank} dimensions: at most {_BROADCAST_RANK} have a call")


@calls("gelu", "gelu_fast", "gelu_tanh")
def gelu(o: PlacedOp) -> Expression:
    """Call the exact form, the table of lines, or the tanh form."""
    variant = {"gelu": "Accurate", "gelu_fast": "FastLut", "gelu_tanh": "Tanh"}[o.op.mnemonic]
    return o.unary("gelu", variant=Name(f"ttnn.GeluVariant.{variant}"))


@calls("gelu_bw")
def gelu_bw(o: PlacedOp) -> Expression:
    """Call the gradient of either form, which returns a list of one."""
    if o.op.lhs.shape != o.op.rhs.shape:
        raise NoCallError("the gradient of a GELU with different shapes of gradient and input")
    variant = Name(f"ttnn.GeluVariant.{'Tanh' if o.op.approximate == 'tanh' else 'Accurate'}")
    return Item(call("gelu_bw", *o.operands, variant=variant, memory_config=o.memory), 0)


@calls("leaky_relu")
def leaky_relu(o: PlacedOp) -> Expression:
    """Pass the slope below zero."""
    return o.unary("leaky_relu", o.op.parameter)


@calls("selu")
def selu(o: PlacedOp) -> Expression:
    """Pass its two factors."""
    return o.unary("selu", scale=o.op.scale, alpha=o.op.alpha)


@calls("clamp_scalar")
def clamp_scalar(o: PlacedOp) -> Expression:
    """Clamp between two numbers."""
    return o.unary("clamp", min=o.op.min, max=o.op.max)


@calls("clamp_tensor")
def clamp_tensor(o: PlacedOp) -> Expression:
    """Clamp between two tensors."""
    x, least, most = o.operands
    return call("clamp", x, min=least, max=most, memory_config=o.memory)


@calls("where")
def where(o: PlacedOp) -> Expression:
    """Select by a condition."""
    return call("where", *o.operands, memory_config=o.memory)


@calls("typecast")
def typecast(o: PlacedOp) -> Expression:
    """Convert to another device format; bools are a comparison with zero."""
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
    """Reinterpret the bits as another format."""
    return call("bitcast", o.operands[0], o.dtype, memory_config=o.memory)


@calls("dropout")
def dropout(o: PlacedOp) -> Expression:
    """Set random elements to zero."""
    op = o.op
    keywords = {"probability": op.prob, "scale": op.scale, "seed": op.seed}
    return o.unary("experimental.dropout", **keywords, use_per_device_seed=op.use_per_device_seed)


@calls("quantize", "quantize_unrolled", "dequantize", "dequantize_unrolled", "requantize", "requantize_unrolled")
def quantize(o: PlacedOp) -> Expression:
    """Quantize or dequantize by scales and zero points, numbers or tensors."""
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
    """Clamp integers to their type, which the library stores in 32 bits without a limit."""
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
    """Return a fused activation; for GELU, the exact or the fast form is selected."""
    fast = {"gelu": 0.0, "gelu_fast": 1.0}.get(mnemonic)
    kind = Name(f"ttnn.UnaryOpType.{mnemonic.upper().removesuffix('_FAST')}")
    return call("UnaryWithParam", kind, *([] if fast is None else [fast]))
