"""Resizing of images: a TTIR op if it exists, otherwise a matmul along each axis."""

from collections.abc import Callable, Sequence
from functools import partial

from ttstack.dialects.ttir.build import permute_dims
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.filters import Matrix, along, cubic, linear, nearest, smoothing_matrix
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

_TARGETS = "upsample2d permute matmul constant"

Axis = Callable[[int, int, float], Matrix]
"""Returns the matrix for an axis, from the two extents and the step between positions."""


@CONVERSIONS("upsample_nearest1d.vec", "upsample_nearest2d.vec", to=_TARGETS)
def _nearest(call: TorchOp) -> ir.Value:
    """Use `upsample2d` for integer factors, otherwise a matmul that selects."""
    return _resize(call, _factors(call, 2), nearest, "nearest")


@CONVERSIONS(*(f"upsample_nearest{d}d" for d in (1, 2, 3)), to=_TARGETS)
def _nearest_by_axis(call: TorchOp) -> ir.Value:
    """Use `upsample2d` for integer factors, otherwise a matmul that selects."""
    return _resize(call, _factor_by_axis(call, 2), nearest, "nearest")


@CONVERSIONS("_upsample_nearest_exact1d.vec", "_upsample_nearest_exact2d.vec", to=_TARGETS)
def _nearest_exact(call: TorchOp) -> ir.Value:
    """Use `upsample2d` for integer factors, otherwise a matmul that selects the closest to the centre."""
    return _resize(call, _factors(call, 2), partial(nearest, centred=True), "nearest")


@CONVERSIONS(*(f"_upsample_nearest_exact{d}d" for d in (1, 2, 3)), to=_TARGETS)
def _nearest_exact_by_axis(call: TorchOp) -> ir.Value:
    """Use `upsample2d` for integer factors, otherwise a matmul that selects the closest to the centre."""
    return _resize(call, _factor_by_axis(call, 2), partial(nearest, centred=True), "nearest")


@CONVERSIONS("upsample_linear1d.vec", "upsample_bilinear2d.vec", to=_TARGETS)
def _linear(call: TorchOp) -> ir.Value:
    """Use `upsample2d` for integer factors, otherwise a matmul that interpolates two."""
    return _mix(call, _factors(call, 3))


@CONVERSIONS("upsample_bilinear2d", to=_TARGETS)
def _linear_by_axis(call: TorchOp) -> ir.Value:
    """Use `upsample2d` for integer factors, otherwise a matmul that interpolates two."""
    return _mix(call, _factor_by_axis(call, 3))


@CONVERSIONS("upsample_bicubic2d.vec", to="permute matmul constant")
def _cubic(call: TorchOp) -> ir.Value:
    """Interpolate four elements by a matmul along each axis."""
    return _resize(call, _factors(call, 3), partial(cubic, corners=call.flag(2)), None)


@CONVERSIONS("_upsample_bilinear2d_aa", to="permute matmul constant")
def _smooth_linear(call: TorchOp) -> ir.Value:
    """Average the elements of one step by a matmul along each axis."""
    return _smooth(call, 1)


@CONVERSIONS("_upsample_bicubic2d_aa", to="permute matmul constant")
def _smooth_cubic(call: TorchOp) -> ir.Value:
    """Average the elements of two steps by a matmul along each axis."""
    return _smooth(call, 2)


def _smooth(call: TorchOp, reach: int) -> ir.Value:
    return _resize(call, _factor_by_axis(call, 3), partial(smoothing_matrix, corners=call.flag(2), reach=reach), None)


def _mix(call: TorchOp, factors: Sequence[float | None]) -> ir.Value:
    corners = call.flag(2)
    return _resize(call, factors, partial(linear, corners=corners), None if corners else "bilinear")


def _resize(call: TorchOp, factors: Sequence[float | None], axis: Axis, mode: str | None) -> ir.Value:
    """Resize; `mode` is the equivalent mode of TTIR, or None."""
    x = call.tensor(0)
    sizes, counts = read_type(x.type).shape[2:], call.result.shape[2:]
    given = [
        count / size if factor is None else factor for size, count, factor in zip(sizes, counts, factors, strict=True)
    ]
    if mode and len(sizes) == 2 and all(f == int(f) for f in given):
        scaled = ttir.upsample2d(permute_dims(x, (0, 2, 3, 1)), scale_factor=tuple(map(int, given)), mode=mode)
        return permute_dims(scaled, (0, 3, 1, 2))
    for dim, (size, count, factor) in enumerate(zip(sizes, counts, given, strict=True)):
        if (size, factor) != (count, 1):
            x = along(x, 2 + dim, axis(size, count, 1 / factor))
    return x


def _factors(call: TorchOp, i: int) -> list[float | None]:
    """Return a factor for each axis; None if only sizes are given."""
    if call.is_none(i):
        return [None] * (call.result.rank - 2)
    return list(call.numbers(i))


def _factor_by_axis(call: TorchOp, i: int) -> list[float | None]:
    """Return a factor for each axis, from operand `i` on."""
    return [_factor(call, i + axis) for axis in range(call.result.rank - 2)]


def _factor(call: TorchOp, i: int) -> float | None:
    return None if call.is_none(i) else float(call.number(i))
