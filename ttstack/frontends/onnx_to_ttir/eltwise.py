"""Elementwise ops that the torch dialect does not have, and norms across channels."""

from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import cast, concat_along, elementwise, permute_dims, scalar, slice_along, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.rounding import TO_EVEN, round_to_even
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.filters import along
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = OnnxConversionTable()


@CONVERSIONS("Softsign", to="softsign")
def _softsign(call: OnnxOp) -> ir.Value:
    """Use the same op."""
    return ttir.softsign(call.tensor(0))


@CONVERSIONS("Mish", to="mish")
def _mish(call: OnnxOp) -> ir.Value:
    """Use the same op."""
    return ttir.mish(call.tensor(0))


@CONVERSIONS("Round", to=TO_EVEN)
def _round(call: OnnxOp) -> ir.Value:
    """Round half to even."""
    return round_to_even(call.tensor(0))


@CONVERSIONS("ThresholdedRelu", to="gt where full")
def _thresholded_relu(call: OnnxOp) -> ir.Value:
    """Select `x` above `alpha`, otherwise 0."""
    x = call.tensor(0)
    return where(compare("gt", x, call.attribute("alpha", 1.0)), x, scalar(0, call.result), call.result)


@CONVERSIONS("Atanh", to="log1p subtract neg multiply full")
def _atanh(call: OnnxOp) -> ir.Value:
    """Compute half of `log(1 + x) - log(1 - x)`."""
    x = call.tensor(0)
    difference = ttir.subtract(ttir.log1p(x), ttir.log1p(ttir.neg(x)))
    return elementwise("multiply", difference, 0.5, result=call.result)


@CONVERSIONS("Acosh", to="log sqrt add subtract multiply full")
def _acosh(call: OnnxOp) -> ir.Value:
    """Compute `log(x + sqrt((x - 1) * (x + 1)))`."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    root = ttir.sqrt(f("multiply", f("subtract", x, 1), f("add", x, 1)))
    return ttir.log(f("add", x, root))


@CONVERSIONS("BitShift", to="logical_left_shift logical_right_shift right_shift lt ge logical_or where")
def _bit_shift(call: OnnxOp) -> ir.Value:
    """Shift in zeros, or copies of the sign to the right; all bits for amounts that are not less than the width."""
    t, x, amount = call.result, call.tensor(0), call.tensor(1)
    left = call.attribute("direction", "LEFT") == "LEFT"
    if t.dtype.is_unsigned:
        return ttir.build(f"logical_{'left' if left else 'right'}_shift", x, amount)
    beyond = compare("logical_or", compare("lt", amount, 0), compare("ge", amount, t.dtype.bits))
    if left:
        return where(beyond, 0, ttir.logical_left_shift(x, where(beyond, 0, amount, read_type(amount.type))), t)
    return ttir.right_shift(x, where(beyond, t.dtype.bits - 1, amount, read_type(amount.type)))


@CONVERSIONS("BitCast", to="bitcast_convert")
def _bit_cast(call: OnnxOp) -> ir.Value:
    """Reinterpret the bits as another element type of the same width."""
    x = call.tensor(0)
    if DType.I1 in (read_type(x.type).dtype, call.result.dtype):
        return cast(x, call.result.dtype)
    return ttir.bitcast_convert(x, result=call.result)


@CONVERSIONS("CumProd", to="cumprod reverse slice_static concat full")
def _cum_prod(call: OnnxOp) -> ir.Value:
    """Multiply all elements up to each one, or before it, from either end."""
    x, backwards = call.tensor(0), bool(call.attribute("reverse", 0))
    (dim,) = (a % call.result.rank for a in call.integers_at(1))
    x = ttir.reverse(x, dimensions=(dim,)) if backwards else x
    found = ttir.cumprod(x, dim=dim)
    if call.attribute("exclusive", 0):
        first = splat(1, call.result.with_shape(tuple(1 if d == dim else n for d, n in enumerate(call.result.shape))))
        found = concat_along([first, slice_along(found, dim, 0, call.result.shape[dim] - 1)], dim)
    return ttir.reverse(found, dimensions=(dim,)) if backwards else found


@CONVERSIONS("LRN", to="square matmul permute constant multiply add pow div full")
def _lrn(call: OnnxOp) -> ir.Value:
    """Divide by a power of the mean square of neighbouring channels, a matmul with a band matrix."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    count, size = call.result.shape[1], call.attribute("size", 1)
    place = np.arange(count)
    offset = place[None, :] - place[:, None]
    band = (offset >= -((size - 1) // 2)) & (offset <= size // 2)
    last = (0, *range(2, call.result.rank), 1)
    sums = along(
        permute_dims(ttir.square(x), last), call.result.rank - 1, band * (call.attribute("alpha", 1e-4) / size)
    )
    spread = permute_dims(sums, (0, call.result.rank - 1, *range(1, call.result.rank - 1)))
    return f("div", x, f("pow", f("add", spread, call.attribute("bias", 1.0)), call.attribute("beta", 0.75)))


@CONVERSIONS("ReduceProd", to="prod reshape")
def _reduce_prod(call: OnnxOp) -> ir.Value:
    """Reduce one dimension after another."""
    x = call.tensor(0)
    rank = read_type(x.type).rank
    axes = call.integers_at(1, call.attribute("axes", ()) or range(rank))
    return ttir.prod(x, keep_dim=bool(call.attribute("keepdims", 1)), dim_arg=tuple(a % rank for a in axes))
