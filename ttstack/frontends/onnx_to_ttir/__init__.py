"""ONNX ops with a direct conversion to TTIR, one file per family; others go through the torch dialect."""

from ttstack.frontends.conversion import join_tables
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir import CONVERSIONS as OF_TORCH
from ttstack.frontends.torch_to_ttir import convert
from ttstack.mlir import ir
from ttstack.support.modules import import_modules

FAMILIES = import_modules(
    __name__,
    (
        "eltwise",
        "fourier",
        "gather",
        "pool",
        "quantization",
        "recurrent",
        "resize",
        "sampling",
        "shape",
        "writes",
    ),
)

OTHERS = OnnxConversionTable()
"""Conversions that plug-ins define: `@OTHERS("name", to="ops")`."""

CONVERSIONS = join_tables(FAMILIES, OTHERS)
"""Every ONNX op with a direct conversion, under `torch.onnx.<name>`."""

WHOLE = frozenset(name.removeprefix("torch.onnx.") for name in CONVERSIONS)

__all__ = ["CONVERSIONS", "FAMILIES", "OTHERS", "WHOLE", "onnx_to_ttir"]


def onnx_to_ttir(module: ir.Module) -> None:
    """Convert a module of torch ops and of `torch.onnx` ones in place, with arguments and results in order.

    Raises:
        UnsupportedOpError: lists all ops without a conversion, or all ops in an unsupported form.
    """
    convert.convert(module, {**OF_TORCH, **CONVERSIONS}, OnnxOp)
