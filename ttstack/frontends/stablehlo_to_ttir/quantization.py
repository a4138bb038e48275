"""Quantization to `!quant.uniform` types, and back."""

from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("uniform_quantize", to="quantize requantize")
def _quantize(call: StablehloOp) -> ir.Value:
    """Quantize real numbers, or requantize."""
    from_real = call.types[0].dtype.is_float
    return (ttir.quantize if from_real else ttir.requantize)(call.tensor(0), result=call.result)


@CONVERSIONS("uniform_dequantize", to="dequantize")
def _dequantize(call: StablehloOp) -> ir.Value:
    """Dequantize to real numbers."""
    return ttir.dequantize(call.tensor(0), result=call.result)
