"""Conversion of StableHLO and `chlo` to TTIR, one file per family."""

from types import MappingProxyType

from ttstack.dialects.functions import all_functions
from ttstack.frontends import conversion
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import CUSTOM_CALL, StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.support.modules import import_modules

FAMILIES = import_modules(
    __name__,
    (
        "annotations",
        "attention",
        "bits",
        "chlo",
        "collective",
        "composite",
        "contraction",
        "convolution",
        "creation",
        "eltwise",
        "experts",
        "elementwise_region",
        "fourier",
        "gather",
        "kv_cache",
        "normalization",
        "quantization",
        "reduction",
        "rounding",
        "scatter",
        "shape",
        "sort",
        "threefry",
        "triangular",
        "window",
    ),
)

OTHERS = StablehloConversionTable()
"""Conversions that plug-ins define: `@OTHERS("name", to="ops")`."""

CONVERSIONS = conversion.join_tables(FAMILIES, OTHERS)
"""All supported ops by name, as the documentation lists them."""

_RANDOM = "its numbers are not defined; give them as an input, or draw them with jax.random"
_FACTORS = "it has no counterpart; make its result an input"
_KERNEL = "it is a routine of the host's LAPACK; export for another platform, or make its result an input"
_ROUTINES = """potrf getrf geqrf orgqr ungqr gesdd gesvd syevd heevd geev gees gehrd sytrd hetrd gtsv trsyl
    geqp3"""

REASONS = MappingProxyType(
    {
        "stablehlo.rng": _RANDOM,
        "stablehlo.rng_bit_generator": _RANDOM,
        **{f"@lapack_{kind}{name}_ffi": _KERNEL for kind in "sdcz" for name in _ROUTINES.split()},
        **dict.fromkeys(("@Qr", "@Eigh", "@LuDecomposition", "@ProductOfElementaryHouseholderReflectors"), _FACTORS),
    }
)
"""Reasons why some ops have no conversion."""

_SOURCE = conversion.SourceDialect(
    CONVERSIONS, StablehloOp, prefixes=("stablehlo.", "chlo.", "@"), generic=(CUSTOM_CALL,), reasons=REASONS
)

__all__ = ["CONVERSIONS", "FAMILIES", "OTHERS", "check_ops", "stablehlo_to_ttir"]


def check_ops(module: ir.Module) -> None:
    """Check that every op of the module has a conversion.

    Raises:
        UnsupportedOpError: lists all ops without one, how often each occurs, and where first.
    """
    conversion.check(all_functions(module), _SOURCE)


def stablehlo_to_ttir(module: ir.Module) -> None:
    """Convert a module of functions without control flow in place; arguments and results stay.

    Raises:
        UnsupportedOpError: lists all ops in an unsupported form.
    """
    conversion.convert(module, _SOURCE)
