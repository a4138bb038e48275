"""Fourier transforms of complex numbers as parts: calls that stand for them, and their conversion."""

import math
from collections.abc import Sequence

from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import CUSTOM_CALL, StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()
_FOURIER, _REAL_FOURIER = "ttstack.fourier", "ttstack.real_fourier"


def build_transform(kind: str, re: ir.Value, im: ir.Value | None, lengths: Sequence[int]) -> list[ir.Value]:
    """Build a transform of the last dimensions as calls, one for each dimension.

    Args:
        kind: `FFT`, `IFFT`, `RFFT` or `IRFFT`, or text that ends with it and `>`.
        re: Real parts.
        im: Imaginary parts; None for real numbers.
        lengths: The lengths of the transformed dimensions of the complex or real signal.

    Returns:
        Both parts of the result, or the real result of `IRFFT`.
    """
    word = kind.rpartition(" ")[2].strip(">")
    rank = ir.RankedTensorType(re.type).rank
    dims = range(rank - len(lengths), rank)
    inverse, divisor = word in ("IFFT", "IRFFT"), math.prod(lengths) if word in ("IFFT", "IRFFT") else 1
    order = [*reversed(dims)] if word == "RFFT" else [*dims]
    for dim in order:
        last = dim == rank - 1
        options = {"dim": str(dim), "divisor": str(divisor)}
        divisor = 1
        if last and word == "IRFFT":
            assert im is not None
            return [*_call(_REAL_FOURIER, [re, im], 1, dim, lengths[-1], {**options, "size": str(lengths[-1])})]
        onesided = last and word == "RFFT"
        size = ir.RankedTensorType(re.type).get_dim_size(dim)
        extent = size // 2 + 1 if onesided else size
        options |= {"inverse": str(inverse).lower(), "onesided": str(onesided).lower()}
        re, im = _call(_FOURIER, [re] if im is None else [re, im], 2, dim, extent, options)
    assert im is not None
    return [re, im]


def _call(
    name: str, parts: Sequence[ir.Value], count: int, dim: int, extent: int, options: dict[str, str]
) -> Sequence[ir.Value]:
    t = ir.RankedTensorType(parts[0].type)
    shape = [extent if d == dim else n for d, n in enumerate(t.shape)]
    attributes: dict[str, ir.Attribute] = {
        "call_target_name": ir.StringAttr.get(name),
        "mhlo.frontend_attributes": ir.DictAttr.get({k: ir.StringAttr.get(v) for k, v in options.items()}),
    }
    results = [ir.RankedTensorType.get(shape, t.element_type)] * count
    return list(ir.Operation.create(CUSTOM_CALL, results, list(parts), attributes).results)


@CONVERSIONS(f"@{_FOURIER}", to="fourier")
def _fourier(call: StablehloOp) -> Sequence[ir.Value]:
    """A complex or real transform along one dimension."""
    given = {name: call.integer(name) for name in ("dim", "divisor")}
    return list(ttir.fourier(*call.operands, **given, inverse=call.flag("inverse"), onesided=call.flag("onesided")))


@CONVERSIONS(f"@{_REAL_FOURIER}", to="real_fourier")
def _real_fourier(call: StablehloOp) -> ir.Value:
    """A real inverse transform along the last dimension."""
    return ttir.real_fourier(*call.operands, **{name: call.integer(name) for name in ("dim", "divisor", "size")})
