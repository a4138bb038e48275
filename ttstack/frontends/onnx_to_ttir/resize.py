"""Resizing of images: a TTIR op if it exists, otherwise a matmul along each axis."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttstack.dialects.ttir.build import permute_dims
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.filters import Matrix, along, cubic_weight, linear, nearest, taps
from ttstack.mlir import ir

CONVERSIONS = OnnxConversionTable()

_WHOLE = {"nearest": nearest, "bilinear": lambda *sizes: linear(*sizes, corners=False)}
"""Resize matrices that `upsample2d` is equivalent to, by its mode."""

_ROUND = {
    "round_prefer_floor": lambda at: np.ceil(at - 0.5),
    "round_prefer_ceil": lambda at: np.floor(at + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@CONVERSIONS("Resize", to="upsample2d permute matmul constant")
def _resize(call: OnnxOp) -> ir.Value:
    """Use `upsample2d` for integer factors, otherwise a matmul along each axis."""
    if call.attribute("antialias", 0):
        call.refuse("uses antialiasing", "use antialias=0")
    x = call.tensor(0)
    sizes, counts = read_type(x.type).shape, call.result.shape
    scales = _scales(call, sizes, counts)
    matrices = {
        dim: _matrix(call, size, count, scale)
        for dim, (size, count, scale) in enumerate(zip(sizes, counts, scales, strict=True))
        if (size, scale) != (count, 1)
    }
    if (mode := _whole(matrices, sizes)) is not None:
        factors = tuple(counts[d] // sizes[d] for d in (2, 3))
        scaled = ttir.upsample2d(permute_dims(x, (0, 2, 3, 1)), scale_factor=factors, mode=mode)
        return permute_dims(scaled, (0, 3, 1, 2))
    for dim, matrix in matrices.items():
        order = [d for d in range(len(sizes)) if d != dim] + [dim]
        x = permute_dims(along(permute_dims(x, order), len(sizes) - 1, matrix), np.argsort(order).tolist())
    return x


def _scales(call: OnnxOp, sizes: tuple[int, ...], counts: tuple[int, ...]) -> list[float]:
    """Return a scale for each axis, computed from sizes if absent."""
    given = None if call.is_none(2) else call.known_values(2)
    dims = [d % len(sizes) for d in call.attribute("axes", list(range(len(sizes))))]
    if given is None and call.is_none(3):
        call.refuse("has factors that depend on the values of a run", "use a constant size")
    if given is None or not given.size:
        same = call.attribute("keep_aspect_ratio_policy", "stretch") == "stretch"
        if not same:
            call.refuse("keeps the aspect ratio of sizes", "give the sizes that it comes to")
        return [count / size for size, count in zip(sizes, counts, strict=True)]
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


def _matrix(call: OnnxOp, size: int, count: int, scale: float) -> Matrix:
    at = _positions(call, size, count, scale)
    mode = call.attribute("mode", "nearest")
    if mode == "nearest":
        how = call.attribute("nearest_mode", "round_prefer_floor")
        return taps(size, _ROUND[how](at).astype(int)[:, None], np.ones((count, 1)))
    reach = [0, 1] if mode == "linear" else [-1, 0, 1, 2]
    places = np.floor(at).astype(int)[:, None] + reach
    distance = np.abs(at[:, None] - places)
    weights = 1 - distance if mode == "linear" else cubic_weight(distance, call.attribute("cubic_coeff_a", -0.75))
    if call.attribute("exclude_outside", 0):
        weights = np.where((places >= 0) & (places < size), weights, 0)
        weights = weights / weights.sum(1, keepdims=True)
    return taps(size, places, weights)


def _positions(call: OnnxOp, size: int, count: int, scale: float) -> NDArray[Any]:
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
    if how not in positions:
        call.refuse(f"crops by '{how}'", "slice first, and resize then")
    return positions[how]
