"""StableHLO and `chlo` to TTIR, one file a family."""

from types import MappingProxyType

from ttstack.frontends import conversion
from ttstack.frontends.stablehlo_to_ttir import (
    bits,
    chlo,
    collective,
    contraction,
    convolution,
    creation,
    elementwise_region,
    eltwise,
    gather,
    normalization,
    quantization,
    reduction,
    rounding,
    scatter,
    shape,
    sort,
    window,
)
from ttstack.frontends.stablehlo_to_ttir.call import CUSTOM_CALL, Call
from ttstack.mlir import ir

FAMILIES = (
    bits,
    chlo,
    collective,
    contraction,
    convolution,
    creation,
    eltwise,
    elementwise_region,
    gather,
    normalization,
    quantization,
    reduction,
    rounding,
    scatter,
    shape,
    sort,
    window,
)

CONVERSIONS = MappingProxyType({n: c for family in FAMILIES for n, c in family.CONVERSIONS.by_name.items()})
"""Every op that becomes TTIR, by name: what the docs list."""

_RANDOM = "its numbers are not defined; give them as an input, or draw them with jax.random"
_FACTORS = "it has no counterpart; give what it computes as an input"
_COMPLEX = "there are no complex numbers"

REASONS = MappingProxyType(
    {
        "stablehlo.rng": _RANDOM,
        "stablehlo.rng_bit_generator": _RANDOM,
        "stablehlo.cholesky": _FACTORS,
        "stablehlo.triangular_solve": _FACTORS,
        "stablehlo.fft": _COMPLEX,
        "stablehlo.complex": _COMPLEX,
    }
)
"""Why some ops have no conversion."""

_SOURCE = conversion.Source(
    CONVERSIONS, Call, prefixes=("stablehlo.", "chlo.", "@"), generic=(CUSTOM_CALL,), reasons=REASONS
)

__all__ = ["CONVERSIONS", "FAMILIES", "check_ops", "stablehlo_to_ttir"]


def check_ops(module: ir.Module) -> None:
    """Every op of the module has a conversion.

    Raises:
        UnsupportedOpError: with all that have none, how often each occurs, and where first.
    """
    conversion.check(module.body.operations, _SOURCE)


def stablehlo_to_ttir(module: ir.Module) -> None:
    """Convert a module whose functions are straight lines in place; arguments and results stay.

    Raises:
        UnsupportedOpError: all uses of ops in a form that has no conversion.
    """
    conversion.convert(module, _SOURCE)
