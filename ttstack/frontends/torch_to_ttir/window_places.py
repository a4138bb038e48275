"""Maxima of windows with their positions, along one dimension after another."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ttstack.dialects.ttir.build import concat_along, constant, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

Window = tuple[int, int, int]
"""Begin, end and step of the elements of a window along one dimension."""

PLACES = "max min eq where constant slice_static concat"
"""The ops of `extremes_and_places`."""


def sliding_windows(size: int, count: int, kernel: int, stride: int, pad: int, dilation: int) -> list[Window]:
    """Return windows over `size` elements, without the padding."""
    found = list[Window]()
    for i in range(count):
        begin = i * stride - pad
        skipped = -(-max(-begin, 0) // dilation)
        found.append((begin + skipped * dilation, min(begin + (kernel - 1) * dilation + 1, size), dilation))
    return found


def extremes_and_places(x: ir.Value, windows: Mapping[int, Sequence[Window]]) -> tuple[ir.Value, ir.Value]:
    """Return the maximum of each window, and the first of its row-major positions among the windowed dimensions."""
    t = read_type(x.type)
    extents = [t.shape[d] if d in windows else 1 for d in range(t.rank)]
    size = math.prod(extents)
    places = constant(np.arange(size).reshape(extents), TensorType(tuple(extents), DType.I64))
    for dim, parts in windows.items():
        found = [_extreme(x, places, dim, window, size) for window in parts]
        x, places = (concat_along(values, dim) for values in zip(*found, strict=True))
    return x, places


def _extreme(x: ir.Value, places: ir.Value, dim: int, window: Window, size: int) -> tuple[ir.Value, ir.Value]:
    """Return the maximum along a dimension of one window, and the least position that has it."""
    begin, end, step = window
    part, place = (slice_along(value, dim, begin, end, step) for value in (x, places))
    largest = ttir.max(part, keep_dim=True, dim_arg=(dim,))
    equal = compare("eq", part, largest)
    shape = read_type(equal.type).shape
    return largest, ttir.min(where(equal, place, size, TensorType(shape, DType.I64)), keep_dim=True, dim_arg=(dim,))
