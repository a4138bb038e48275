"""Conversion of the torch dialect to TTIR, one file per family."""

from ttstack.frontends.conversion import join_tables
from ttstack.frontends.torch_to_ttir import convert
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.mlir import ir
from ttstack.support.modules import import_modules

FAMILIES = import_modules(
    __name__,
    (
        "approximations",
        "attention",
        "composite",
        "conv",
        "creation",
        "distances",
        "dropout",
        "einsum",
        "eltwise",
        "embedding",
        "fourier",
        "gradients",
        "indexing",
        "lists",
        "loops",
        "matmul",
        "normalization",
        "pad",
        "pool",
        "recurrent",
        "reduction",
        "resize",
        "resize_gradients",
        "sampling",
        "scans",
        "scatter",
        "search",
        "shape",
        "shuffle",
        "sort",
        "special",
        "tensor_train",
        "triangular",
        "volumes",
    ),
)

OTHERS = TorchConversionTable()
"""Conversions that plug-ins define: `@OTHERS("name", to="ops")`."""

CONVERSIONS = join_tables(FAMILIES, OTHERS)
"""All supported torch ops by name, as the documentation lists them."""

__all__ = ["CONVERSIONS", "FAMILIES", "OTHERS", "torch_to_ttir"]


def torch_to_ttir(module: ir.Module) -> None:
    """Convert a module of the torch dialect in place, with arguments and results in order.

    Raises:
        UnsupportedOpError: lists all ops without a conversion, or all ops in an unsupported form.
    """
    convert.convert(module, CONVERSIONS)
