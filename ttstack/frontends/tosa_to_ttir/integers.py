"""Quantized integer ops, exact to the last bit: multiplications, shifts, tables and scales."""

from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import cast, constant, elementwise, reshape_to, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.bits import leading_zeros
from ttstack.frontends.stablehlo_to_ttir.eltwise import combine
from ttstack.frontends.tosa_to_ttir.eltwise import bounds
from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp
from ttstack.mlir import ir
from ttstack.ops.types import DType, ElementType, TensorType

CONVERSIONS = TosaConversionTable()


@CONVERSIONS("mul", to="multiply add right_shift")
def _mul(call: TosaOp) -> ir.Value:
    """Multiply in the result's element type; a rounded right shift is computed in 64 bits."""
    x, y, t = call.tensor(0), call.tensor(1), call.result
    shift = 0 if t.dtype.is_float else int(call.number(2))
    if not shift:
        return combine("multiply", cast(x, t.dtype), cast(y, t.dtype))
    product = combine("multiply", cast(x, DType.I64), cast(y, DType.I64))
    return cast(_shift(product, shift), t.dtype)


def _shift(x: ir.Value, shift: int) -> ir.Value:
    f = partial(elementwise, result=read_type(x.type))
    return f("right_shift", f("add", x, 1 << shift - 1), shift)


@CONVERSIONS("arithmetic_right_shift", to="right_shift subtract bitwise_and gt multiply add")
def _arithmetic_right_shift(call: TosaOp) -> ir.Value:
    """Shift; with `round`, add the last bit that is shifted out."""
    x, by, t = call.tensor(0), call.tensor(1), call.result
    shifted = combine("right_shift", x, by)
    if not call.flag("round"):
        return shifted
    f = partial(elementwise, result=t)
    some = ttir.gt(by, scalar(0, read_type(by.type)), result=read_type(by.type).with_dtype(DType.I1))
    before = combine("right_shift", x, ttir.maximum(f("subtract", by, 1), scalar(0, read_type(by.type))))
    return f("add", shifted, f("multiply", f("bitwise_and", before, 1), some))


@CONVERSIONS("clz", to="bitwise_or bitwise_not bitwise_and logical_right_shift bitcast_convert")
def _clz(call: TosaOp) -> ir.Value:
    """Set all bits below the highest one, and count the remaining zeros."""
    return leading_zeros(call.tensor(0), call.result)


@CONVERSIONS("negate", to="neg subtract clamp_tensor")
def _negate(call: TosaOp) -> ir.Value:
    """Negate around the zero points, and clamp to the range of the integers."""
    x, t = call.tensor(0), call.result
    if t.dtype.is_float or not (call.number(1) or call.number(2)):
        return ttir.neg(x)
    wide = cast(x, DType.I64)
    f = partial(elementwise, result=read_type(wide.type))
    return within(f("subtract", call.number(1) + call.number(2), wide), t.dtype)


@CONVERSIONS("table", to="embedding add multiply subtract logical_left_shift bitwise_and right_shift reshape")
def _table(call: TosaOp) -> ir.Value:
    """Look up 8-bit values; for 16 bits, interpolate between entries 128 apart."""
    x, table = call.tensor(0), call.tensor(1)
    wide = cast(x, DType.I32)
    t = read_type(wide.type)
    f = partial(elementwise, result=t)
    if call.type(0).dtype.bits == 8:
        return _look_up(table, f("add", wide, 128))
    at = f("right_shift", f("add", wide, 32768), 7)
    base, following = (cast(_look_up(table, place), DType.I32) for place in (at, f("add", at, 1)))
    share = f("bitwise_and", wide, 127)
    return f("add", f("logical_left_shift", base, 7), f("multiply", f("subtract", following, base), share))


def _look_up(table: ir.Value, places: ir.Value) -> ir.Value:
    rows = reshape_to(table, (read_type(table.type).size, 1))
    return reshape_to(ttir.embedding(places, rows), read_type(places.type).shape)


@CONVERSIONS("rescale", to="subtract multiply add right_shift ge where clamp_tensor")
def _rescale(call: TosaOp) -> ir.Value:
    """Multiply and shift with rounding in 64 bits, between zero points, and clamp."""
    mode = call.word("rounding_mode", "single_round")
    if mode == "inexact_round":
        mode = "single_round"
    x, t = call.tensor(0), call.type(0)
    given, wanted = call.flag("input_unsigned"), call.flag("output_unsigned")
    wide = _widen(x, unsigned=given)
    every = read_type(wide.type)
    f = partial(elementwise, result=every)
    multiplier, shift = (_along_last(call, i, t.rank) for i in (1, 2))
    zero, target = (_zero_point(call, 3, given), _zero_point(call, 4, wanted))
    product = f("multiply", f("subtract", wide, zero), multiplier)
    amount = call.values(2).astype(np.int64).reshape(-1)
    half = _constant(1 << (amount - 1), t.rank)
    if mode == "double_round" and (amount > 31).any():
        more = _constant(np.where(amount > 31, 1 << 30, 0), t.rank)
        positive = ttir.ge(f("subtract", wide, zero), scalar(0, every), result=every.with_dtype(DType.I1))
        half = combine("where", positive, f("add", half, more), f("subtract", half, more))
    scaled = f("right_shift", f("add", product, half), shift)
    return within(f("add", scaled, target), call.result.dtype, unsigned=wanted)


def _widen(x: ir.Value, *, unsigned: bool) -> ir.Value:
    t = read_type(x.type)
    if not unsigned or t.dtype.is_unsigned:
        return cast(x, DType.I64)
    return elementwise("bitwise_and", cast(x, DType.I64), (1 << t.dtype.bits) - 1, result=t.with_dtype(DType.I64))


def _along_last(call: TosaOp, i: int, rank: int) -> ir.Value:
    return _constant(call.values(i).astype(np.int64).reshape(-1), rank)


def _constant(values: np.ndarray, rank: int) -> ir.Value:
    shape = (1,) * (rank - 1) + (values.size,) if rank else ()
    return constant(values.reshape(shape), TensorType(shape, DType.I64))


def _zero_point(call: TosaOp, i: int, unsigned: bool) -> int:
    value = int(call.number(i))
    return value % (1 << call.type(i).dtype.bits) if unsigned else value


def within(x: ir.Value, dtype: ElementType, *, unsigned: bool = False) -> ir.Value:
    """Convert `x` to an element type, and clamp."""
    limits = [scalar(bound, read_type(x.type)) for bound in bounds(dtype, unsigned=unsigned)]
    return cast(ttir.clamp_tensor(x, *limits), dtype)
