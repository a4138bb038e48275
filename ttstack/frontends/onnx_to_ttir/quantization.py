"""Casts, and quantization by scales and zero points of tensors, channels or blocks."""

from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import broadcast_to, cast, constant, elementwise, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.narrow import OPS, clamp_to_narrow, round_to_narrow
from ttstack.frontends.conversion.rounding import round_to_even
from ttstack.frontends.onnx_to_ttir.element_types import NARROW
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.mlir import ir
from ttstack.ops.types import DType, ElementType, TensorType

CONVERSIONS = OnnxConversionTable()


@CONVERSIONS("Cast", to=f"{OPS} typecast")
def _cast(call: OnnxOp) -> ir.Value:
    """Cast; to a type of fewer than 8 bits or an 8-bit float, round to its values."""
    narrow = NARROW.get(call.attribute("to", 0))
    if narrow is None:
        return cast(call.tensor(0), call.result.dtype)
    mode, saturate = call.attribute("round_mode", "up"), bool(call.attribute("saturate", 1))
    return round_to_narrow(call.tensor(0), narrow, saturate=saturate, mode=mode)


@CONVERSIONS("QuantizeLinear", to=f"quantize_unrolled {OPS}")
def _quantize(call: OnnxOp) -> ir.Value:
    """Round to nearest, ties to even, and clamp to the range of the integers, or round to a narrow float."""
    narrow, block = NARROW.get(call.attribute("output_dtype", 0)), call.attribute("block_size", 0)
    if narrow is None and not block:
        return _unroll(call, "quantize_unrolled", call.result.dtype)
    x = call.tensor(0)
    f = partial(elementwise, result=read_type(x.type))
    quotient = f("div", x, _spread(call, 1))
    if narrow is not None and narrow.name.startswith("float"):
        return round_to_narrow(quotient, narrow, saturate=bool(call.attribute("saturate", 1)))
    real = cast(round_to_even(quotient), DType.F32)
    shifted = real if call.is_none(2) else elementwise("add", real, _spread(call, 2), result=read_type(real.type))
    if narrow is not None:
        return clamp_to_narrow(shifted, narrow)
    limits = np.iinfo(call.result.dtype.numpy)
    return cast(ttir.clamp_scalar(shifted, min=float(limits.min), max=float(limits.max)), call.result.dtype)


@CONVERSIONS("DequantizeLinear", to="dequantize_unrolled subtract multiply broadcast reshape")
def _dequantize(call: OnnxOp) -> ir.Value:
    """Subtract the zero point and multiply by the scale."""
    x = read_type(call.tensor(0).type)
    if not (call.attribute("block_size", 0) or x.dtype.is_float):
        return _unroll(call, "dequantize_unrolled", x.dtype)
    f = partial(elementwise, result=call.result)
    real = call.tensor(0) if call.is_none(2) else f("subtract", call.tensor(0), _spread(call, 2))
    return f("multiply", real, _spread(call, 1))


def _spread(call: OnnxOp, i: int) -> ir.Value:
    """Return a parameter that broadcasts against the input: of the tensor, or repeated for each index or block."""
    parameter, shape = call.tensor(i), read_type(call.tensor(0).type).shape
    t = read_type(parameter.type)
    if t.size == 1:
        return reshape_to(parameter, (1,) * len(shape))
    axis = call.attribute("axis", 1) % len(shape)
    if t.rank == 1 < len(shape) or not call.attribute("block_size", 0):
        return reshape_to(parameter, [t.size if d == axis else 1 for d in range(len(shape))])
    blocks = (*shape[:axis], t.shape[axis], call.attribute("block_size", 0), *shape[axis + 1 :])
    repeated = broadcast_to(reshape_to(parameter, (*blocks[: axis + 1], 1, *blocks[axis + 2 :])), blocks)
    return reshape_to(repeated, shape)


def _unroll(call: OnnxOp, mnemonic: str, integer: ElementType) -> ir.Value:
    scale = call.tensor(1)
    zero = TensorType(read_type(scale.type).shape, integer)
    zero_point = constant(np.zeros(zero.shape), zero) if call.is_none(2) else call.tensor(2)
    spread = read_type(scale.type).size > 1
    where = {"axis": call.attribute("axis", 1) % call.result.rank} if spread else {}
    return ttir.build(mnemonic, call.tensor(0), scale, zero_point, result=call.result, **where)
