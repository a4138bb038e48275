"""Reshapes, permutations, concatenations, static slices, and padding."""

import math
from collections.abc import Sequence

import numpy as np

from ttstack.dialects.ttir.build import broadcast_to, concat_along, permute_dims, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.operands import in_shape, known_elements, spread
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("reshape", "dynamic_reshape", to="reshape")
def _reshape(call: StablehloOp) -> ir.Value:
    """Reshape to the result's shape."""
    return in_shape(call.tensor(0), call.result.shape)


@CONVERSIONS("transpose", to="permute")
def _transpose(call: StablehloOp) -> ir.Value:
    """Permute dimensions."""
    return permute_dims(call.tensor(0), call.integers("permutation"))


@CONVERSIONS("broadcast_in_dim", "dynamic_broadcast_in_dim", to="permute reshape broadcast")
def _broadcast_in_dim(call: StablehloOp) -> ir.Value:
    """Repeat new and unit dimensions; elementwise ops broadcast them themselves."""
    return spread(call.tensor(0), call.integers("broadcast_dimensions"), call.result)


@CONVERSIONS("broadcast", to="reshape broadcast")
def _broadcast(call: StablehloOp) -> ir.Value:
    """Repeat along new leading dimensions."""
    return broadcast_to(call.tensor(0), call.result.shape)


@CONVERSIONS("reverse", to="reverse")
def _reverse(call: StablehloOp) -> ir.Value:
    """Reverse the given dimensions."""
    dims = call.integers("dimensions")
    return ttir.reverse(call.tensor(0), dimensions=dims) if dims else call.tensor(0)


@CONVERSIONS("concatenate", to="concat")
def _concatenate(call: StablehloOp) -> ir.Value:
    """Concatenate the nonempty parts."""
    parts = [call.tensor(i) for i, t in enumerate(call.types) if t.size] or [call.tensor(0)]
    return reshape_to(concat_along(parts, call.integer("dimension")), call.result.shape)


@CONVERSIONS("slice", to="slice_static")
def _slice(call: StablehloOp) -> ir.Value:
    """Slice with constant bounds and steps."""
    begins, ends, steps = (call.integers(name) for name in ("start_indices", "limit_indices", "strides"))
    return cut(call.tensor(0), begins, ends, steps)


def cut(x: ir.Value, begins: Sequence[int], ends: Sequence[int], steps: Sequence[int] | None = None) -> ir.Value:
    """Return `x[begin:end:step]` in every dimension; `x` itself for a full slice."""
    shape = read_type(x.type).shape
    steps = tuple(steps) if steps is not None else (1,) * len(shape)
    if tuple(ends) == shape and set(steps) <= {1} and not any(begins):
        return x
    return ttir.slice_static(x, begins=tuple(begins), ends=tuple(ends), step=steps)


@CONVERSIONS("pad", "dynamic_pad", to="pad slice_static reshape concat broadcast full")
def _pad(call: StablehloOp) -> ir.Value:
    """Pad around the tensor and between its elements; negative padding crops."""
    if call.op.name == "stablehlo.dynamic_pad":
        call.refuse("has amounts that are computed by the model", "pad by fixed amounts")
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    low, high, interior = (call.integers(name) for name in names)
    return pad_around(call.tensor(0), call.tensor(1), low, high, interior)


def pad_around(
    x: ir.Value, filler: ir.Value, low: Sequence[int], high: Sequence[int], interior: Sequence[int] | None = None
) -> ir.Value:
    """Pad `x` with a scalar around it and between its elements; negative amounts crop."""
    for dim, between in enumerate(interior or ()):
        x = _apart(x, filler, dim, between)
    shape = read_type(x.type).shape
    begins = [min(max(-amount, 0), extent) for amount, extent in zip(low, shape, strict=True)]
    ends = [max(extent - max(-amount, 0), b) for amount, extent, b in zip(high, shape, begins, strict=True)]
    x = cut(x, begins, ends)
    return _surround(x, filler, [max(a, 0) for a in low], [max(a, 0) for a in high])


def _apart(x: ir.Value, filler: ir.Value, dim: int, between: int) -> ir.Value:
    """Insert `between` fillers between neighbours along one dimension."""
    shape = read_type(x.type).shape
    if between == 0 or shape[dim] < 2:
        return x
    lone = reshape_to(x, (*shape[: dim + 1], 1, *shape[dim + 1 :]))
    zeros = [0] * (len(shape) + 1)
    wide = _surround(lone, filler, zeros, [between if d == dim + 1 else 0 for d in range(len(zeros))])
    flat = reshape_to(wide, (*shape[:dim], shape[dim] * (between + 1), *shape[dim + 1 :]))
    ends = [*read_type(flat.type).shape]
    ends[dim] -= between
    return cut(flat, [0] * len(shape), ends)


def _surround(x: ir.Value, filler: ir.Value, low: Sequence[int], high: Sequence[int]) -> ir.Value:
    t = read_type(x.type)
    if not any((*low, *high)):
        return x
    number = known_elements(filler)
    shape = tuple(a + e + b for a, e, b in zip(low, t.shape, high, strict=True))
    if t.size == 0:
        return broadcast_to(filler, shape) if math.prod(shape) else splat(0, t.with_shape(shape))
    if number is not None and _is_exact(number):
        sides = [side for pair in zip(low, high, strict=True) for side in pair]
        return ttir.pad(x, padding=tuple(sides), value=float(number.item()))
    for dim, sides in enumerate(zip(low, high, strict=True)):
        x = _beside(x, filler, dim, sides)
    return x


def _is_exact(number: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> bool:
    """Return True if the op's float32 attribute represents the number exactly."""
    value = number.item()
    return bool(np.isnan(value)) or float(np.float32(value)) == value


def _beside(x: ir.Value, filler: ir.Value, dim: int, sides: tuple[int, int]) -> ir.Value:
    t = read_type(x.type)
    parts = [_block(filler, t, dim, extent) for extent in sides]
    whole = [part for part in (parts[0], x, parts[1]) if part is not None and read_type(part.type).size]
    return concat_along(whole, dim) if whole else x


def _block(filler: ir.Value, t: TensorType, dim: int, extent: int) -> ir.Value | None:
    shape = (*t.shape[:dim], extent, *t.shape[dim + 1 :])
    return broadcast_to(filler, shape) if extent else None
