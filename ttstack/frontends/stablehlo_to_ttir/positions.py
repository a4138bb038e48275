"""Windows at computed starts as rows of a table, for gathers, scatters and updates."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ttstack.dialects.ttir.build import (
    broadcast_to,
    cast,
    constant,
    elementwise,
    permute_dims,
    reshape_to,
    scalar,
    slice_along,
    splat,
)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType


@dataclass(frozen=True)
class WindowStarts:
    """Starts of windows for each of `batch`, along the operand dimensions with an entry; 0 along others."""

    batch: tuple[int, ...]
    along: dict[int, ir.Value]


@dataclass(frozen=True)
class WindowTable:
    """An operand as rows: sliced dimensions come first, and full dimensions are within rows."""

    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    """Sizes of the windows along each dimension."""
    picked: tuple[int, ...]
    whole: tuple[int, ...]

    @staticmethod
    def of(shape: tuple[int, ...], sizes: tuple[int, ...], moved: Sequence[int]) -> "WindowTable":
        """Create the table of windows whose starts vary along the dimensions `moved`."""
        picked = tuple(d for d, extent in enumerate(shape) if d in moved or sizes[d] != extent)
        return WindowTable(shape, sizes, picked, tuple(d for d in range(len(shape)) if d not in picked))

    @property
    def offsets(self) -> tuple[int, ...]:
        """Dimensions along which a window has several rows."""
        return tuple(d for d in self.picked if self.sizes[d] != 1)

    @property
    def rows(self) -> int:
        """The total number of rows."""
        return math.prod(self.shape[d] for d in self.picked)

    @property
    def width(self) -> int:
        """The number of elements of a row."""
        return math.prod(self.shape[d] for d in self.whole)

    def matrix(self, x: ir.Value) -> ir.Value:
        """Return the operand as a matrix of its rows."""
        return reshape_to(permute_dims(x, (*self.picked, *self.whole)), (self.rows, self.width))

    def operand(self, matrix: ir.Value) -> ir.Value:
        """Return the operand from a matrix of its rows."""
        order = (*self.picked, *self.whole)
        apart = reshape_to(matrix, tuple(self.shape[d] for d in order))
        return permute_dims(apart, tuple(order.index(d) for d in range(len(order))))

    def places(self, starts: WindowStarts) -> ir.Value:
        """Return the row numbers of each window, [batch, offsets]."""
        parts = [self._along(starts, d, self._stride(d)) for d in self.picked]
        shape = (*starts.batch, *(self.sizes[d] for d in self.offsets))
        if not parts:
            return splat(0, TensorType(shape, DType.I32))
        return broadcast_to(reduce(ttir.add, parts), shape)

    def inside(self, starts: WindowStarts) -> ir.Value | None:
        """Return whether each row of each window is inside the operand; None if all are."""
        shape = (*starts.batch, *(self.sizes[d] for d in self.offsets))
        bools = TensorType((1,) * len(shape), DType.I1)
        tests: list[ir.Value] = []
        for d in starts.along:
            at = self._along(starts, d, 1)
            t = read_type(at.type)
            tests += [
                ttir.ge(at, scalar(0, t), result=bools),
                ttir.lt(at, scalar(self.shape[d], t), result=bools),
            ]
        return reduce(lambda a, b: ttir.logical_and(a, b, result=bools), tests) if tests else None

    def _stride(self, dim: int) -> int:
        return math.prod(self.shape[d] for d in self.picked[self.picked.index(dim) + 1 :])

    def _along(self, starts: WindowStarts, dim: int, stride: int) -> ir.Value:
        """Return start and offsets along one dimension times `stride`, broadcastable to [batch, offsets]."""
        line = np.arange(self.sizes[dim]).reshape([-1 if d == dim else 1 for d in self.offsets])
        ahead = (1,) * len(starts.batch)
        offset = constant(line.reshape(ahead + line.shape) * stride, TensorType(ahead + line.shape, DType.I32))
        if dim not in starts.along:
            return offset
        start = starts.along[dim]
        start = reshape_to(start, (*read_type(start.type).shape, *(1,) * len(self.offsets)))
        scaled = start if stride == 1 else elementwise("multiply", start, stride, result=read_type(start.type))
        return scaled if not line.any() else ttir.add(scaled, offset)


def within(start: ir.Value, low: int, high: int) -> ir.Value:
    """Clamp integers of any type to two bounds, as 32-bit integers."""
    t = read_type(start.type)
    if t.dtype.bits < 32:
        start = cast(start, DType.I32)
        t = read_type(start.type)
    low = max(low, 0) if t.dtype.is_unsigned else low
    bounds = [scalar(bound, t) for bound in (low, high)]
    return cast(ttir.minimum(ttir.maximum(start, bounds[0]), bounds[1]), DType.I32)


def components(indices: ir.Value, vector_dim: int) -> list[ir.Value]:
    """Split each index into its numbers along `vector_dim`, or return it as the only one."""
    shape = read_type(indices.type).shape
    if vector_dim == len(shape):
        return [indices]
    rest = (*shape[:vector_dim], *shape[vector_dim + 1 :])
    return [reshape_to(slice_along(indices, vector_dim, k, k + 1), rest) for k in range(shape[vector_dim])]


def counter(batch: tuple[int, ...], dim: int) -> ir.Value:
    """Return the index along one dimension of the batch."""
    t = TensorType(batch, DType.I32)
    return ttir.arange(result=t, start=0, end=batch[dim], step=1, arange_dimension=dim)
