"""Elementwise ops that the torch dialect does not have, and norms across channels."""

from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import elementwise, permute_dims, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.rounding import TO_EVEN, round_to_even
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.filters import along
from ttstack.mlir import ir

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


@CONVERSIONS("BitShift", to="logical_left_shift logical_right_shift")
def _bit_shift(call: OnnxOp) -> ir.Value:
    """Shift in zeros."""
    side = call.attribute("direction", "LEFT").lower()
    return ttir.build(f"logical_{side}_shift", call.tensor(0), call.tensor(1))


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
