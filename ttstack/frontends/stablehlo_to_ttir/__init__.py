"""StableHLO and `chlo` to TTIR, one file a family."""

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
"""Every op that becomes TTIR, by name: what the docs list."""

_RANDOM = "its numbers are not defined; give them as an input, or draw them with jax.random"
_FACTORS = "it has no counterpart; give what it computes as an input"
_KERNEL = "it is a routine of the host's LAPACK; export for another platform, or give what it computes as an input"
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
"""Why some ops have no conversion."""

_SOURCE = conversion.SourceDialect(
    CONVERSIONS, StablehloOp, prefixes=("stablehlo.", "chlo.", "@"), generic=(CUSTOM_CALL,), reasons=REASONS
)

__all__ = ["CONVERSIONS", "FAMILIES", "OTHERS", "check_ops", "refuse_complex_numbers", "stablehlo_to_ttir"]


def refuse_complex_numbers(module: ir.Module) -> None:
    """No op of the module takes or gives complex numbers.

    Raises:
        UnsupportedOpError: with all that do, how often each occurs, and where first.
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
    """Every op of the module has a conversion.

    Raises:
        UnsupportedOpError: with all that have none, how often each occurs, and where first.
    """
    conversion.check(all_functions(module), _SOURCE)


def stablehlo_to_ttir(module: ir.Module) -> None:
    """Convert a module whose functions are straight lines in place; arguments and results stay.

    Raises:
        UnsupportedOpError: all uses of ops in a form that has no conversion.
    """
    conversion.convert(module, _SOURCE)
