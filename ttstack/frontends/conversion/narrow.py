"""Numbers of fewer than 8 bits and 8-bit floats, stored in the next wider type that a device has.

A value of such a type is stored exactly in its wider type. Only casts to it change values.
"""

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from ttstack.dialects.ttir.build import cast, elementwise, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.rounding import TO_EVEN, round_to_even
from ttstack.mlir import ir
from ttstack.ops.types import DType

OPS = f"{TO_EVEN} bitcast_convert bitwise_and abs multiply div maximum minimum where clamp_scalar isfinite trunc"
"""The ops of `round_to_narrow`."""

STORED: dict[np.dtype[Any], DType] = {
    **{
        np.dtype(scalar_type): DType.F32
        for name in dir(ml_dtypes)
        if name.startswith("float") and isinstance(scalar_type := getattr(ml_dtypes, name), type)
    },
    np.dtype(ml_dtypes.int2): DType.I8,
    np.dtype(ml_dtypes.int4): DType.I8,
    np.dtype(ml_dtypes.uint2): DType.UI8,
    np.dtype(ml_dtypes.uint4): DType.UI8,
}
"""The wider type of each narrow type: float32, or an integer of 8 bits."""

_EXPONENT = 0x7F800000
"""The bits of the exponent of a float32."""


def stored_values(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return values of a narrow type in the type that stores them; other values unchanged."""
    stored = STORED.get(values.dtype)
    return values if stored is None else values.astype(stored.numpy)


def round_to_narrow(x: ir.Value, dtype: np.dtype[Any], *, saturate: bool = True, mode: str = "up") -> ir.Value:
    """Cast to a narrow type; the result has the type that stores it.

    Args:
        x: The values, of any type.
        dtype: A type of `STORED`. Integers keep the low bits of the truncated number.
        saturate: Round floats beyond the largest one to it, instead of to infinity or NaN.
        mode: How powers of two (`float8_e8m0fnu`) are rounded: `up`, `down` or `nearest`.
    """
    if dtype.name.startswith("float"):
        real = cast(x, DType.F32)
        return _power_of_two(real, mode) if "e8m0" in dtype.name else _round(real, dtype, saturate)
    low = int(ml_dtypes.iinfo(dtype).min)
    mask = int(ml_dtypes.iinfo(dtype).max) - low
    whole = cast(ttir.trunc(x) if read_type(x.type).dtype.is_float else x, DType.I32)
    f = partial(elementwise, result=read_type(whole.type))
    wrapped = f("add", f("bitwise_and", f("subtract", whole, low), mask), low)
    return cast(wrapped, STORED[dtype])


def clamp_to_narrow(x: ir.Value, dtype: np.dtype[Any]) -> ir.Value:
    """Clamp integers to the range of a narrow type, and cast them to the type that stores it."""
    limits = ml_dtypes.iinfo(dtype)
    return cast(ttir.clamp_scalar(x, min=int(limits.min), max=int(limits.max)), STORED[dtype])


def _binade(x: ir.Value) -> ir.Value:
    """Return the power of two at or below the magnitude of normal numbers; 0 for others below."""
    t = read_type(x.type)
    bits = ttir.bitcast_convert(x, result=t.with_dtype(DType.I32))
    exponent = elementwise("bitwise_and", bits, _EXPONENT, result=read_type(bits.type))
    return ttir.bitcast_convert(exponent, result=t)


def _round(x: ir.Value, dtype: np.dtype[Any], saturate: bool) -> ir.Value:
    """Round to the nearest multiple of the last place, ties to even; the spacing of subnormals is constant."""
    t, limits = read_type(x.type), ml_dtypes.finfo(dtype)
    f = partial(elementwise, result=t)
    largest = float(limits.max)
    wide = f("maximum", _binade(x), 2.0 ** int(limits.minexp))
    spacing = f("multiply", wide, 2.0 ** -int(limits.nmant))
    rounded = f("multiply", round_to_even(f("div", x, spacing)), spacing)
    finite = f("maximum", f("minimum", rounded, largest), -largest)
    with np.errstate(invalid="ignore"):
        beyond, nothing = (float(np.float32(v).astype(dtype)) for v in (np.inf, np.nan))
    if not saturate and beyond != largest:
        over = ttir.gt(f("abs", rounded), scalar(largest, t), result=t.with_dtype(DType.I1))
        finite = ttir.where(over, f("multiply", ttir.sign(x), beyond), finite)
    is_nan = ttir.ne(x, x, result=t.with_dtype(DType.I1))
    infinite = ttir.eq(f("abs", x), scalar(np.inf, t), result=t.with_dtype(DType.I1))
    edge = largest if saturate else beyond
    finite = ttir.where(infinite, f("multiply", ttir.sign(x), edge), finite)
    return ttir.where(is_nan, scalar(nothing, t), finite)


def _power_of_two(x: ir.Value, mode: str) -> ir.Value:
    """Round to a power of two of at least 2^-127; NaN if not finite."""
    t = read_type(x.type)
    f = partial(elementwise, result=t)
    size = f("abs", x)
    power = f("maximum", _binade(size), 2.0**-126)
    if mode != "down":
        above = f("multiply", power, 1.5 if mode == "nearest" else 1)
        test = ttir.ge if mode == "nearest" else ttir.gt
        up = test(size, above, result=t.with_dtype(DType.I1))
        doubled = f("minimum", f("multiply", power, 2), 2.0**127)
        power = ttir.where(up, doubled, power)
    small = ttir.lt(size, scalar(2.0**-126, t), result=t.with_dtype(DType.I1))
    power = ttir.where(small, scalar(2.0**-127, t), power)
    finite = ttir.isfinite(x, result=t.with_dtype(DType.I1))
    return ttir.where(finite, power, scalar(np.nan, t))
