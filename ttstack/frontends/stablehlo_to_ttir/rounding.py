"""Numbers rounded to integers or to fewer bits, as combinations of what TTIR has."""

from ttstack.dialects.ttir.build import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import cast, scalar
from ttstack.frontends.stablehlo_to_ttir.call import Call
from ttstack.frontends.stablehlo_to_ttir.table import ConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = ConversionTable()

_FORMATS = {(8, 7): DType.BF16, (5, 10): DType.F16, (8, 23): DType.F32, (11, 52): DType.F64}
"""Element types by the bits of their exponent and mantissa."""


@CONVERSIONS("round_nearest_afz", to="trunc subtract abs ge sign where add")
def _away_from_zero(call: Call) -> ir.Value:
    """The integer part, and one more where at least a half is left."""
    x = call.tensor(0)
    whole = ttir("trunc", [x])
    rest = ttir("abs", [ttir("subtract", [x, whole])])
    return _one_more(call, whole, ttir("ge", [rest, _number(x, 0.5)], result=call.result.with_dtype(DType.I1)))


@CONVERSIONS("round_nearest_even", to="trunc subtract abs gt eq logical_and logical_or multiply sign where add")
def _to_even(call: Call) -> ir.Value:
    """The integer part, and one more where more than a half is left, or a half of an odd one."""
    x = call.tensor(0)
    bools = call.result.with_dtype(DType.I1)
    whole = ttir("trunc", [x])
    rest = ttir("abs", [ttir("subtract", [x, whole])])
    half = ttir("multiply", [whole, _number(x, 0.5)])
    odd = ttir("ne", [ttir("trunc", [half]), half], result=bools)
    tie = ttir("logical_and", [ttir("eq", [rest, _number(x, 0.5)], result=bools), odd], result=bools)
    more = ttir("logical_or", [ttir("gt", [rest, _number(x, 0.5)], result=bools), tie], result=bools)
    return _one_more(call, whole, more)


def _one_more(call: Call, whole: ir.Value, condition: ir.Value) -> ir.Value:
    """One further from 0 where the condition holds."""
    step = ttir("where", [condition, ttir("sign", [call.tensor(0)]), _number(whole, 0.0)])
    return ttir("add", [whole, step])


def _number(x: ir.Value, value: float) -> ir.Value:
    return scalar(value, read_type(x.type))


@CONVERSIONS("reduce_precision", to="typecast")
def _reduce_precision(call: Call) -> ir.Value:
    """To an element type that there is, and back."""
    bits = call.integer("exponent_bits"), call.integer("mantissa_bits")
    own = next(b for b, dtype in _FORMATS.items() if dtype is call.result.dtype)
    if bits[0] >= own[0] and bits[1] >= own[1]:
        return call.tensor(0)
    if bits not in _FORMATS:
        call.refuse(f"rounds to {bits[0]} bits of exponent and {bits[1]} of mantissa", "round to bf16 or f16")
    return cast(cast(call.tensor(0), _FORMATS[bits]), call.result.dtype)
