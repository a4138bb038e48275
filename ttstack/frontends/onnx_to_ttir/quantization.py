"""Quantization by a scale and a zero point."""

import numpy as np

from ttstack.dialects.ttir.build import constant
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.mlir import ir
from ttstack.ops.types import ElementType, TensorType

CONVERSIONS = OnnxConversionTable()


@CONVERSIONS("QuantizeLinear", to="quantize_unrolled")
def _quantize(call: OnnxOp) -> ir.Value:
    """Round to nearest, ties to even, and clamp to the range of the integers."""
    return _unroll(call, "quantize_unrolled", call.result.dtype)


@CONVERSIONS("DequantizeLinear", to="dequantize_unrolled")
def _dequantize(call: OnnxOp) -> ir.Value:
    """Subtract the zero point and multiply by the scale."""
    return _unroll(call, "dequantize_unrolled", read_type(call.tensor(0).type).dtype)


def _unroll(call: OnnxOp, mnemonic: str, integer: ElementType) -> ir.Value:
    if call.attribute("block_size", 0):
        call.refuse("has scales of blocks", "quantize by tensor or by channel")
    scale = call.tensor(1)
    zero = TensorType(read_type(scale.type).shape, integer)
    zero_point = constant(np.zeros(zero.shape), zero) if call.is_none(2) else call.tensor(2)
    spread = read_type(scale.type).size > 1
    where = {"axis": call.attribute("axis", 1) % call.result.rank} if spread else {}
    return ttir.build(mnemonic, call.tensor(0), scale, zero_point, result=call.result, **where)
