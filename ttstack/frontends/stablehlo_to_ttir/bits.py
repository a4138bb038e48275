"""Bit counts, and reinterpretation as other element types."""

import numpy as np

from ttstack.dialects.ttir.build import cast, constant, reshape_to, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType, ElementType, TensorType

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("popcnt", to="bitwise_and logical_right_shift add subtract multiply bitcast_convert")
def _popcnt(call: StablehloOp) -> ir.Value:
    """Add up counts of 2, 4 and 8 adjacent bits."""
    return _give_type(_ones(_unsigned(call.tensor(0))), call.result)


@CONVERSIONS("count_leading_zeros", to="bitwise_or bitwise_not logical_right_shift bitcast_convert")
def _count_leading_zeros(call: StablehloOp) -> ir.Value:
    """Set all bits below the highest one, and count the remaining zeros."""
    return leading_zeros(call.tensor(0), call.result)


def leading_zeros(x: ir.Value, result: TensorType) -> ir.Value:
    """Return the number of zeros above the highest set bit, in an element type of the same width."""
    x = _unsigned(x)
    t, by = read_type(x.type), 1
    while by < t.dtype.bits:
        x = ttir.bitwise_or(x, ttir.logical_right_shift(x, scalar(by, t)))
        by *= 2
    return _give_type(_ones(ttir.bitwise_not(x)), result)


def _ones(x: ir.Value) -> ir.Value:
    """Return the number of set bits of unsigned integers."""
    t = read_type(x.type)
    count = t.dtype.bits

    def masked(value: ir.Value, width: int) -> ir.Value:
        pattern = sum(((1 << width) - 1) << at for at in range(0, count, 2 * width))
        return ttir.bitwise_and(value, scalar(pattern, t))

    width = 1
    while width < count:
        x = ttir.add(masked(x, width), masked(ttir.logical_right_shift(x, scalar(width, t)), width))
        width *= 2
    return x


def _unsigned(x: ir.Value) -> ir.Value:
    t = read_type(x.type)
    return _give_type(x, t.with_dtype(DType(f"ui{t.dtype.bits}")))


def _give_type(x: ir.Value, t: TensorType) -> ir.Value:
    """Reinterpret the bits of `x` as another element type of the same width."""
    return x if read_type(x.type).dtype is t.dtype else ttir.bitcast_convert(x, result=t)


@CONVERSIONS("bitcast_convert", to="bitcast_convert typecast logical_left_shift logical_right_shift sum reshape")
def _bitcast_convert(call: StablehloOp) -> ir.Value:
    """Concatenate elements of the last dimension to wider ones, or split them, lowest bits first."""
    x, t, result = call.tensor(0), call.types[0], call.result
    if t.dtype.bits == result.dtype.bits:
        return _give_type(x, result)
    narrow, wide = sorted((t.dtype.bits, result.dtype.bits))
    if narrow == 1:
        call.refuse("reads truth values as bits", "use stablehlo.convert")
    unsigned = DType(f"ui{wide}")
    parts = TensorType((wide // narrow,), unsigned)
    places = constant(np.arange(wide // narrow) * narrow, parts)
    if t.dtype.bits == wide:
        apart = ttir.logical_right_shift(reshape_to(_unsigned(x), (*t.shape, 1)), _line(places, result.rank))
        return _give_type(cast(apart, _unsigned_of(narrow)), result)
    moved = ttir.logical_left_shift(cast(_unsigned(x), unsigned), _line(places, t.rank))
    return _give_type(ttir.sum(moved, keep_dim=False, dim_arg=(t.rank - 1,)), result)


def _unsigned_of(bits: int) -> ElementType:
    return DType(f"ui{bits}")


def _line(values: ir.Value, rank: int) -> ir.Value:
    """Reshape a vector to the last of `rank` dimensions."""
    return reshape_to(values, (*(1,) * (rank - 1), read_type(values.type).size))
