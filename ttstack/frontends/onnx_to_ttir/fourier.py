"""Fourier transforms; complex numbers are pairs of reals along the last dimension."""

from collections.abc import Sequence

from ttstack.dialects.ttir.build import concat_along, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.windows import MOST_BLOCKS, UNFOLD, windows
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.mlir import ir
from ttstack.ops.fourier import frequencies
from ttstack.ops.shapes import axis

CONVERSIONS = OnnxConversionTable()
_PAIRS = 2


@CONVERSIONS("DFT", to="fourier real_fourier slice_static pad reshape concat")
def _dft(call: OnnxOp) -> ir.Value:
    """Transform both parts along an axis, which is cut or padded with zeros to `dft_length`."""
    parts = _parts(call.tensor(0))
    rank, (given,) = read_type(call.tensor(0).type).rank, call.integers_at(2, [call.attribute("axis", -2)])
    dim = axis(given, rank)
    if dim == rank - 1:
        call.refuse(f"transforms along axis {given}, which holds real and imaginary parts")
    inverse, onesided = bool(call.attribute("inverse", 0)), bool(call.attribute("onesided", 0))
    extent = read_type(parts[0].type).shape[dim]
    (size,) = call.integers_at(1, [2 * (extent - 1) if inverse and onesided else extent])
    if inverse and onesided:
        used = [_fit(part, dim, frequencies(size)) for part in parts]
        return reshape_to(ttir.real_fourier(*used, dim=dim, size=size, divisor=size), call.result.shape)
    if onesided and len(parts) == _PAIRS:
        call.refuse("returns half of the frequencies of complex numbers", "leave out onesided")
    fitted = [_fit(part, dim, size) for part in parts]
    scale = {"inverse": inverse, "divisor": size if inverse else 1}
    return _pairs(ttir.fourier(*fitted, dim=dim, onesided=onesided, **scale))


@CONVERSIONS("STFT", to=f"fourier {UNFOLD} multiply")
def _stft(call: OnnxOp) -> ir.Value:
    """Transform windows of the signal, times the window function."""
    parts, (step,) = _parts(call.tensor(0)), call.integers_at(1)
    length = read_type(parts[0].type).shape[-1]
    window = call.optional(2)
    (size,) = call.integers_at(3, [length if window is None else read_type(window.type).shape[0]])
    if not 0 < size <= min(length, MOST_BLOCKS * step):
        call.refuse(f"has windows of {size} elements in steps of {step}", f"use at most {MOST_BLOCKS} steps a window")
    frames = [windows(part, size, step) for part in parts]
    if window is not None:
        rows = reshape_to(window, (1, 1, size))
        frames = [ttir.multiply(frame, rows) for frame in frames]
    onesided = bool(call.attribute("onesided", 1)) and len(parts) < _PAIRS
    return _pairs(ttir.fourier(*frames, dim=2, onesided=onesided))


def _parts(x: ir.Value) -> list[ir.Value]:
    """Return the real part, and the imaginary part of complex numbers."""
    *shape, count = read_type(x.type).shape
    return [reshape_to(slice_along(x, len(shape), i, i + 1), shape) for i in range(count)]


def _pairs(parts: Sequence[ir.Value]) -> ir.Value:
    shape = read_type(parts[0].type).shape
    return concat_along([reshape_to(part, (*shape, 1)) for part in parts], len(shape))


def _fit(x: ir.Value, dim: int, size: int) -> ir.Value:
    """Cut or pad a dimension to a length."""
    t = read_type(x.type)
    if t.shape[dim] >= size:
        return slice_along(x, dim, 0, size)
    padding = [0] * (2 * t.rank)
    padding[2 * dim + 1] = size - t.shape[dim]
    return ttir.pad(x, padding=tuple(padding), value=0.0)
