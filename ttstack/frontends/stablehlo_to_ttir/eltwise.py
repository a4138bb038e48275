"""Elementwise ops; broadcasts that StableHLO needs are dropped, as TTIR ops broadcast."""

from functools import partial

from ttstack.dialects.ttir.build import cast, reshape_to, scalar, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.operands import known_elements, narrow, neutral
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

CONVERSIONS = StablehloConversionTable()

_UNARY = {
    "abs": "abs",
    "cbrt": "cbrt",
    "ceil": "ceil",
    "cosine": "cos",
    "exponential": "exp",
    "exponential_minus_one": "expm1",
    "floor": "floor",
    "log": "log",
    "log_plus_one": "log1p",
    "logistic": "sigmoid",
    "negate": "neg",
    "rsqrt": "rsqrt",
    "sign": "sign",
    "sine": "sin",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}

_BINARY = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "divide": "div",
    "remainder": "remainder",
    "power": "pow",
    "atan2": "atan2",
}

_BITS = ("and", "or", "xor")

_SHIFTS = {"shift_left": "logical_left_shift", "shift_right_logical": "logical_right_shift"}

_DIRECTIONS = {"EQ": "eq", "NE": "ne", "GE": "ge", "GT": "gt", "LE": "le", "LT": "lt"}


def combine(mnemonic: str, *operands: ir.Value, result: TensorType | None = None) -> ir.Value:
    """Build an elementwise op on values that broadcast to the largest one."""
    return ttir.build(mnemonic, *narrow(*operands), result=result)


def _unary(mnemonic: str, call: StablehloOp) -> ir.Value:
    return ttir.build(mnemonic, call.tensor(0))


def _binary(mnemonic: str, call: StablehloOp) -> ir.Value:
    return combine(mnemonic, call.tensor(0), call.tensor(1))


def _bitwise(name: str, call: StablehloOp) -> ir.Value:
    if call.result.dtype is DType.I1:
        return combine(f"logical_{name}", call.tensor(0), call.tensor(1), result=call.result)
    return combine(f"bitwise_{name}", call.tensor(0), call.tensor(1))


for _source, _mnemonic in _UNARY.items():
    CONVERSIONS.add([_source], [_mnemonic], partial(_unary, _mnemonic))
for _source, _mnemonic in (_BINARY | _SHIFTS).items():
    CONVERSIONS.add([_source], [_mnemonic], partial(_binary, _mnemonic))
for _source in _BITS:
    CONVERSIONS.add([_source], [f"bitwise_{_source}", f"logical_{_source}"], partial(_bitwise, _source))


@CONVERSIONS("maximum", "minimum", to="maximum minimum")
def _extreme(call: StablehloOp) -> ir.Value:
    """Drop the smallest or largest number of the type as an operand, which JAX adds to reductions."""
    mnemonic = call.op.name.removeprefix("stablehlo.")
    for value, other in (call.operands, reversed(call.operands)):
        if neutral(mnemonic[:3], other):
            return value
    return combine(mnemonic, *call.operands)


@CONVERSIONS("not", to="bitwise_not logical_not")
def _not(call: StablehloOp) -> ir.Value:
    """Complement bits, or a bool."""
    if call.result.dtype is DType.I1:
        return ttir.logical_not(call.tensor(0), result=call.result)
    return ttir.bitwise_not(call.tensor(0))


@CONVERSIONS("shift_right_arithmetic", to="right_shift bitcast_convert")
def _shift_right_arithmetic(call: StablehloOp) -> ir.Value:
    """Shift in the highest bit, also for unsigned integers."""
    x, by, t = call.tensor(0), call.tensor(1), call.result
    if not t.dtype.is_unsigned:
        return combine("right_shift", x, by)
    signed = t.with_dtype(DType(f"i{t.dtype.bits}"))
    shifted = ttir.right_shift(*[ttir.bitcast_convert(v, result=signed) for v in (x, by)])
    return ttir.bitcast_convert(shifted, result=t)


@CONVERSIONS("is_finite", to="isfinite")
def _is_finite(call: StablehloOp) -> ir.Value:
    """Test for neither infinite nor NaN."""
    return ttir.isfinite(call.tensor(0), result=call.result)


@CONVERSIONS("convert", to="typecast ne")
def _convert(call: StablehloOp) -> ir.Value:
    """Compare with 0 for bool results."""
    return cast(call.tensor(0), call.result.dtype)


@CONVERSIONS("compare", to="eq ne ge gt le lt bitcast_convert where bitwise_xor")
def _compare(call: StablehloOp) -> ir.Value:
    """Compare the bits as integers for the total order of floats."""
    left, right = call.tensor(0), call.tensor(1)
    if call.word("compare_type") == "TOTALORDER" and call.types[0].dtype.is_float:
        left, right = in_total_order(left), in_total_order(right)
    return combine(_DIRECTIONS[call.word("comparison_direction")], left, right, result=call.result)


def in_total_order(x: ir.Value) -> ir.Value:
    """Return integers in the total order of floats, with -NaN and -0: magnitudes of negative ones are inverted."""
    t = read_type(x.type)
    bits = ttir.bitcast_convert(x, result=t.with_dtype(DType(f"i{t.dtype.bits}")))
    integers = read_type(bits.type)
    signs = ttir.right_shift(bits, scalar(t.dtype.bits - 1, integers))
    turned = ttir.logical_right_shift(signs, scalar(1, integers))
    return ttir.bitwise_xor(bits, turned)


@CONVERSIONS("select", to="where")
def _select(call: StablehloOp) -> ir.Value:
    """Broadcast a scalar condition, and fold a constant one."""
    condition = known_elements(call.tensor(0))
    if condition is not None and condition.size and (condition.all() or not condition.any()):
        return call.tensor(1 if condition.all() else 2)
    return combine("where", _align(call, 0), call.tensor(1), call.tensor(2))


@CONVERSIONS("clamp", to="clamp_tensor")
def _clamp(call: StablehloOp) -> ir.Value:
    """Broadcast scalar bounds; the upper one takes precedence."""
    low, x, high = (_align(call, i) for i in range(3))
    return combine("clamp_tensor", x, low, high)


def _align(call: StablehloOp, i: int) -> ir.Value:
    """Return operand `i`, with the result's rank for a scalar."""
    return call.tensor(i) if call.types[i].rank else reshape_to(call.tensor(i), (1,) * call.result.rank)


@CONVERSIONS("real", to="")
def _real(call: StablehloOp) -> ir.Value:
    """Return the real number itself."""
    return call.tensor(0)


@CONVERSIONS("imag", to="full")
def _imag(call: StablehloOp) -> ir.Value:
    """Return 0 for a real number."""
    return splat(0, call.result)
