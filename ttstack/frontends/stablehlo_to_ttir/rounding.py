"""Rounding to integers or to fewer bits, composed of TTIR ops."""

from ttstack.dialects.ttir.build import cast, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.rounding import TO_EVEN, round_to_even
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = StablehloConversionTable()

_FORMATS = {(8, 7): DType.BF16, (5, 10): DType.F16, (8, 23): DType.F32, (11, 52): DType.F64}
"""Element types by the bits of their exponent and mantissa."""


@CONVERSIONS("round_nearest_afz", to="trunc subtract abs ge typecast sign multiply add")
def _away_from_zero(call: StablehloOp) -> ir.Value:
    """Truncate, and add one if the remainder is at least a half."""
    x = call.tensor(0)
    whole = ttir.trunc(x)
    rest = ttir.abs(ttir.subtract(x, whole))
    half = scalar(0.5, read_type(x.type))
    more = ttir.ge(rest, half, result=call.result.with_dtype(DType.I1))
    return ttir.add(whole, ttir.multiply(cast(more, call.result.dtype), ttir.sign(x)))


@CONVERSIONS("round_nearest_even", to=TO_EVEN)
def _to_even(call: StablehloOp) -> ir.Value:
    """Round to the nearest integer, ties to even."""
    return round_to_even(call.tensor(0))


@CONVERSIONS("reduce_precision", to="typecast")
def _reduce_precision(call: StablehloOp) -> ir.Value:
    """Cast to an element type of these bits, and back."""
    bits = call.integer("exponent_bits"), call.integer("mantissa_bits")
    own = next(b for b, dtype in _FORMATS.items() if dtype is call.result.dtype)
    if bits[0] >= own[0] and bits[1] >= own[1]:
        return call.tensor(0)
    if bits not in _FORMATS:
        call.refuse(f"rounds to {bits[0]} bits of exponent and {bits[1]} of mantissa", "round to bf16 or f16")
    return cast(cast(call.tensor(0), _FORMATS[bits]), call.result.dtype)
