"""Conversion of StableHLO and `chlo` to TTIR, one file per family."""

from collections import Counter
from types import MappingProxyType

from ttstack.dialects.functions import all_functions
from ttstack.dialects.location import read_location
from ttstack.frontends import conversion
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import CUSTOM_CALL, StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.frontends.unsupported import unsupported_error
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

__all__ = ["CONVERSIONS", "FAMILIES", "OTHERS", "check_ops", "refuse_complex_numbers", "stablehlo_to_ttir"]


def refuse_complex_numbers(module: ir.Module) -> None:
    """Check that no op of the module uses complex numbers.

    Raises:
        UnsupportedOpError: lists all ops that do, how often each occurs, and where first.
    """
    found: Counter[str] = Counter()
    first: dict[str, str] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name.startswith("stablehlo.") and any(_is_complex(v.type) for v in (*op.operands, *op.results)):
            found[op.name] += 1
            first.setdefault(op.name, read_location(op.location))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if found:
        raise unsupported_error(found, first, CONVERSIONS, dict.fromkeys(found, "there are no complex numbers"))


def _is_complex(t: ir.Type) -> bool:
    return isinstance(t, ir.RankedTensorType) and isinstance(t.element_type, ir.ComplexType)


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
