"""Elementwise ops, and conversions of their elements."""

from typing import Any

from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import EltwiseBinary, EltwiseUnary
from ttstack.ops.types import DType, QuantType
from ttstack.ttnn_python.calls.formats import compute_format
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, Item, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type

_OTHER_NAMES = {
    "div": "divide",
    "right_shift": "bitwise_right_shift",
    "remainder": "fmod",
}
"""Where `ttnn` calls an op otherwise."""


_OF_ONE_FORMAT = ("maximum", "minimum", "fmod", "atan2", "pow")
"""Ops that take operands of one format only."""

_OF_OPERANDS_FORMAT = ("atan2", "fmod", "logical_left_shift", "logical_right_shift")
"""Ops beside those on bits that give what their operands are, and take no format to give."""

_OF_TRUTH = ("eq", "ne", "lt", "le", "gt", "ge", "isfinite", "signbit")
"""Ops that give one or zero by themselves."""


def _alike(*bases: type[Op]) -> list[str]:
    """Ops of these families that have no attributes, and so differ in their names alone."""
    found = ((name, op) for name, op in OPS.items() if issubclass(op, bases) and not op.attribute_specs())
    return [name for name, _ in found]


@calls(*_alike(EltwiseUnary))
def unary(o: PlacedOp) -> Expression:
    """Functions of one number."""
    name = _name(o)
    held = compute_format(name, o.operand_dtype)
    found = call(name, o.as_format(0, held), memory_config=o.memory)
    return _true_or_not(o, o.cast(found, held))


@calls(*_alike(EltwiseBinary))
def binary(o: PlacedOp) -> Expression:
    """Functions of two numbers; the result's format is asked for, because truth values have another one."""
    name = _name(o)
    if name == "divide" and not o.op.lhs.dtype.is_float:
        name = "div"
    held = compute_format(name, o.operand_dtype)
    alike = o.device_op.results[0].dtype if name in _OF_ONE_FORMAT else None
    wanted = alike if held is o.operand_dtype else held
    operands = o.operands if wanted is None else [o.as_format(i, wanted) for i in range(2)]
    held = held if wanted is None else wanted
    if name == "div":
        return o.cast(call(name, *operands, rounding_mode="trunc", memory_config=o.memory), held)
    if name in _OF_OPERANDS_FORMAT or name.startswith("bitwise_"):
        return o.cast(call(name, *operands, memory_config=o.memory), held)
    return _true_or_not(o, call(name, *operands, dtype=o.dtype, memory_config=o.memory))


def _name(o: PlacedOp) -> str:
    """What `ttnn` calls the op; bits of truth values are the values, which lie there as real numbers."""
    mnemonic: str = o.op.mnemonic
    if mnemonic.startswith("bitwise_") and o.op.operands[0].dtype is DType.I1:
        return mnemonic.replace("bitwise", "logical")
    return _OTHER_NAMES.get(mnemonic, mnemonic)


def _true_or_not(o: PlacedOp, value: Expression) -> Expression:
    """One for all numbers but zero, where arithmetic gives truth values."""
    mnemonic: str = o.op.mnemonic
    if o.op.results[0].dtype is not DType.I1 or mnemonic in _OF_TRUTH or mnemonic.startswith(("logical", "bitwise")):
        return value
    return call("ne", value, 0.0, dtype=o.dtype, memory_config=o.memory)


@calls("gelu", "gelu_tanh")
def gelu(o: PlacedOp) -> Expression:
    """The exact form, and that by the hyperbolic tangent."""
    variant = "Tanh" if o.op.mnemonic == "gelu_tanh" else "Accurate"
    return o.unary("gelu", variant=Name(f"ttnn.GeluVariant.{variant}"))


@calls("gelu_bw")
def gelu_bw(o: PlacedOp) -> Expression:
    """The gradient of either form; it comes as a list of one."""
    if o.op.lhs.shape != o.op.rhs.shape:
        raise NoCallError("a derivative of a GELU whose gradient has another shape")
    variant = Name(f"ttnn.GeluVariant.{'Tanh' if o.op.approximate == 'tanh' else 'Accurate'}")
    found = call("gelu_bw", *o.operands, variant=variant, memory_config=o.memory)
    return o.cast(Item(found, 0), o.operand_dtype)


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
    held = compute_format("clamp", o.operand_dtype)
    return o.cast(call("clamp", o.as_format(0, held), min=o.op.min, max=o.op.max, memory_config=o.memory), held)


@calls("clamp_tensor")
def clamp_tensor(o: PlacedOp) -> Expression:
    """Between two tensors."""
    return o.unary("clamp", min=o.operand("min"), max=o.operand("max"))


@calls("where")
def where(o: PlacedOp) -> Expression:
    """One of two, by a condition."""
    return call("where", o.operands[0], o.as_result(1), o.as_result(2), memory_config=o.memory)


@calls("typecast")
def typecast(o: PlacedOp) -> Expression:
    """Another format; as truth values, whether a number is not zero."""
    if o.op.results[0].dtype is DType.I1 is not o.op.operands[0].dtype:
        return call("ne", o.operands[0], 0.0, dtype=o.dtype, memory_config=o.memory)
    if o.device_op.operands[0].dtype == o.device_op.results[0].dtype:
        same = o.device_op.operands[0] == o.device_op.results[0]
        return call("clone" if same else "to_memory_config", o.operands[0], memory_config=o.memory)
    given, wanted = o.device_op.operands[0], o.device_op.results[0]
    if (given.memory_layout, given.grid) != (wanted.memory_layout, wanted.grid):
        return call("to_memory_config", call("typecast", o.operands[0], o.dtype), o.memory)
    return call("typecast", o.operands[0], o.dtype, memory_config=o.memory)


@calls("bitcast_convert")
def bitcast(o: PlacedOp) -> Expression:
    """The same bits as another format: those of the number's own type, where the device holds it in a narrower one."""
    x, wide = o.operands[0], DType.F32
    if o.op.operands[0].dtype is wide is not o.operand_dtype:
        x = call("typecast", x, data_type(wide))
    if o.op.results[0].dtype is wide:
        return o.cast(call("bitcast", x, data_type(wide), memory_config=o.memory), wide)
    return call("bitcast", x, o.dtype, memory_config=o.memory)


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
    keywords: dict[str, Any] = {"dtype": data_type(held), "memory_config": o.memory}
    if o.op.mnemonic != name:
        found = call(name, *o.operands, axis=o.op.axis, **keywords)
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
    """An elementwise op as the end of another one; the exact form of a GELU is asked for."""
    kind = Name(f"ttnn.UnaryOpType.{mnemonic.upper()}")
    return call("UnaryWithParam", kind, *([0.0] if mnemonic == "gelu" else []))
