"""Resizing of images: a TTIR op if it exists, otherwise a matmul along each axis."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttstack.dialects.ttir.build import constant, permute_dims
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.eltwise import where
from ttstack.frontends.torch_to_ttir.filters import Matrix, along, cubic_weight, linear, nearest, taps
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

CONVERSIONS = OnnxConversionTable()

_WHOLE = {"nearest": nearest, "bilinear": lambda *sizes: linear(*sizes, corners=False)}
"""Resize matrices that `upsample2d` is equivalent to, by its mode."""

_CROP = "tf_crop_and_resize"
"""The mode that resizes a region."""

_ROUND = {
    "round_prefer_floor": lambda at: np.ceil(at - 0.5),
    "round_prefer_ceil": lambda at: np.floor(at + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@CONVERSIONS("Resize", to="upsample2d permute matmul constant where full")
def _resize(call: OnnxOp) -> ir.Value:
    """Use `upsample2d` for integer factors, otherwise a matmul along each axis."""
    x = call.tensor(0)
    sizes, counts = read_type(x.type).shape, call.result.shape
    scales = _scales(call, sizes, counts)
    matrices = {
        dim: _matrix(call, dim, size, count, scale)
        for dim, (size, count, scale) in enumerate(zip(sizes, counts, scales, strict=True))
        if (size, scale) != (count, 1) or call.attribute("coordinate_transformation_mode", "") == _CROP
    }
    if (mode := _whole(matrices, sizes)) is not None:
        factors = tuple(counts[d] // sizes[d] for d in (2, 3))
        scaled = ttir.upsample2d(permute_dims(x, (0, 2, 3, 1)), scale_factor=factors, mode=mode)
        return permute_dims(scaled, (0, 3, 1, 2))
    for dim, matrix in matrices.items():
        order = [d for d in range(len(sizes)) if d != dim] + [dim]
        x = permute_dims(along(permute_dims(x, order), len(sizes) - 1, matrix), np.argsort(order).tolist())
    return _extrapolated(call, x, scales)


def _extrapolated(call: OnnxOp, x: ir.Value, scales: list[float]) -> ir.Value:
    """Replace elements whose positions are outside of the image, which only crops have."""
    if call.attribute("coordinate_transformation_mode", "half_pixel") != _CROP:
        return x
    sizes, counts = read_type(call.tensor(0).type).shape, call.result.shape
    outside = np.zeros(counts, bool)
    for dim, (size, count, scale) in enumerate(zip(sizes, counts, scales, strict=True)):
        at = _positions(call, dim, size, count, scale)
        outside |= ((at < 0) | (at > size - 1)).reshape([-1 if d == dim else 1 for d in range(len(sizes))])
    if not outside.any():
        return x
    mask = constant(outside, TensorType(counts, DType.I1))
    return where(mask, call.attribute("extrapolation_value", 0.0), x, call.result)


def _scales(call: OnnxOp, sizes: tuple[int, ...], counts: tuple[int, ...]) -> list[float]:
    """Return a scale for each axis, computed from sizes if absent."""
    given = None if call.is_none(2) else call.known_values(2)
    dims = [d % len(sizes) for d in call.attribute("axes", list(range(len(sizes))))]
    if given is None and call.is_none(3):
        call.refuse("has factors that depend on the values of a run", "use a constant size")
    if given is None or not given.size:
        policy = call.attribute("keep_aspect_ratio_policy", "stretch")
        if policy == "stretch":
            return [count / size for size, count in zip(sizes, counts, strict=True)]
        limits = [count / sizes[dim] for dim, count in zip(dims, call.integers_at(3), strict=True)]
        given = np.full(len(dims), (min if policy == "not_larger" else max)(limits))
    scales = [1.0] * len(sizes)
    for dim, scale in zip(dims, given, strict=True):
        scales[dim] = float(scale)
    return scales


def _whole(matrices: dict[int, Matrix], sizes: tuple[int, ...]) -> str | None:
    """Return the equivalent mode of `upsample2d`, or None."""
    if len(sizes) != 4 or set(matrices) != {2, 3}:
        return None
    shapes = {dim: (sizes[dim], len(m), sizes[dim] / len(m)) for dim, m in matrices.items()}
    if any(count % size for size, count, _ in shapes.values()):
        return None
    return next((k for k, f in _WHOLE.items() if all(np.allclose(m, f(*shapes[d])) for d, m in matrices.items())), None)


def _matrix(call: OnnxOp, dim: int, size: int, count: int, scale: float) -> Matrix:
    at = _positions(call, dim, size, count, scale)
    mode = call.attribute("mode", "nearest")
    if mode == "nearest":
        how = call.attribute("nearest_mode", "round_prefer_floor")
        return taps(size, _ROUND[how](at).astype(int)[:, None], np.ones((count, 1)))
    shrunk = min(scale, 1.0) if call.attribute("antialias", 0) else 1.0
    width = 1 if mode == "linear" else 2
    first = math.floor(-width / shrunk) + 1
    places = np.floor(at).astype(int)[:, None] + np.arange(first, 2 - first)
    distance = np.minimum(np.abs(at[:, None] - places) * shrunk, width)
    weights = 1 - distance if mode == "linear" else cubic_weight(distance, call.attribute("cubic_coeff_a", -0.75))
    if call.attribute("exclude_outside", 0):
        weights = np.where((places >= 0) & (places < size), weights, 0)
    if call.attribute("exclude_outside", 0) or shrunk < 1:
        weights = weights / weights.sum(1, keepdims=True)
    return taps(size, places, weights)


def _positions(call: OnnxOp, dim: int, size: int, count: int, scale: float) -> NDArray[Any]:
    """Return the position in the operand of each result element."""
    at = np.arange(count)
    how = call.attribute("coordinate_transformation_mode", "half_pixel")
    centred = (at + 0.5) / scale - 0.5
    positions: dict[str, NDArray[Any]] = {
        "asymmetric": at / scale,
        "align_corners": at * ((size - 1) / last if (last := scale * size - 1) else 0.0),  # the size before rounding
        "half_pixel": centred,
        "pytorch_half_pixel": centred if count > 1 else at * 0.0,
        "half_pixel_symmetric": size / 2 * (1 - count / (scale * size)) + centred,
    }
    return _cropped(call, dim, size, count) if how == _CROP else positions[how]


def _cropped(call: OnnxOp, dim: int, size: int, count: int) -> NDArray[Any]:
    """Return positions between the ends of the region, given as shares of the image."""
    rank = call.result.rank
    dims = [d % rank for d in call.attribute("axes", list(range(rank)))]
    region = call.known_values(1)
    if region is None:
        call.refuse("crops to a region that depends on the values of a run", "use a constant region")
    if dim not in dims:
        return np.arange(count) * 1.0
    begin, end = (float(region[at]) * (size - 1) for at in (dims.index(dim), dims.index(dim) + len(dims)))
    return begin + np.arange(count) * (end - begin) / (count - 1) if count > 1 else np.array([(begin + end) / 2])
