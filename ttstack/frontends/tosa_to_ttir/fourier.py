"""Fourier transforms of images of real and imaginary parts."""

from collections.abc import Sequence

from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp
from ttstack.mlir import ir

CONVERSIONS = TosaConversionTable()
_ROWS, _COLUMNS = 1, 2


@CONVERSIONS("fft2d", to="fourier")
def _fft2d(call: TosaOp) -> Sequence[ir.Value]:
    """Transform rows, then columns, without a scale."""
    parts: Sequence[ir.Value] = (call.tensor(0), call.tensor(1))
    for dim in (_COLUMNS, _ROWS):
        parts = ttir.fourier(*parts, dim=dim, inverse=call.flag("inverse"))
    return list(parts)


@CONVERSIONS("rfft2d", to="fourier")
def _rfft2d(call: TosaOp) -> Sequence[ir.Value]:
    """Return the first half of the frequencies of each row."""
    parts = ttir.fourier(call.tensor(0), dim=_COLUMNS, onesided=True)
    return list(ttir.fourier(*parts, dim=_ROWS))
