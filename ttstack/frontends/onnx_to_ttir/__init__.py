"""ONNX ops that become TTIR whole, one file a family; the others pass through the torch dialect."""

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
        "gather",
        "pool",
        "quantization",
        "recurrent",
        "resize",
        "shape",
    ),
)

OTHERS = OnnxConversionTable()
"""Conversions that plug-ins define: `@OTHERS("name", to="ops")`."""

CONVERSIONS = join_tables(FAMILIES, OTHERS)
"""Every ONNX op that has a conversion of its own, under `torch.onnx.<name>`."""

WHOLE = frozenset(name.removeprefix("torch.onnx.") for name in CONVERSIONS)

__all__ = ["CONVERSIONS", "FAMILIES", "OTHERS", "WHOLE", "onnx_to_ttir"]


def onnx_to_ttir(module: ir.Module) -> None:
    """Convert a module of torch ops and of `torch.onnx` ones in place; argument and result order stay.

    Raises:
        UnsupportedOpError: ops without a conversion, all of them; or all uses of ops in a form that has none.
    """
    convert.convert(module, {**OF_TORCH, **CONVERSIONS}, OnnxOp)
