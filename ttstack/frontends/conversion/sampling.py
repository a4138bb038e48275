"""Samples of images and volumes at real positions: nearest elements, linear and cubic interpolation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from ttstack.dialects.ttir.build import broadcast_to, cast, elementwise, reshape_to, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.rounding import TO_EVEN, round_to_even
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

OPS = f"{TO_EVEN} div abs remainder minimum le ge eq where clamp_scalar reshape broadcast gather"
"""The ops of `sample`."""

_CUBIC = -0.75
"""The free coefficient of the cubic kernel."""


@dataclass(frozen=True)
class Interpolation:
    """How elements around a position are combined, and which elements are beyond the edge.

    Modes are `nearest`, `linear` and `cubic`; paddings `zeros`, `border` and `reflection`. With `corners`, positions
    are reflected at the centres of the outer elements, otherwise at their outer edges.
    """

    mode: str
    padding: str
    corners: bool = False

    def place(self, at: ir.Value, size: int) -> ir.Value:
        """Return positions in elements from positions in [-1, 1]."""
        f = partial(elementwise, result=read_type(at.type))
        if self.corners:
            return f("multiply", f("add", at, 1), (size - 1) / 2)
        return f("subtract", f("multiply", f("add", at, 1), size / 2), 0.5)

    def taps(self, at: ir.Value, size: int) -> list[tuple[ir.Value, ir.Value]]:
        """Return the elements around positions along one dimension, and their weights; 0 beyond zero padding."""
        f = partial(elementwise, result=read_type(at.type))
        at = self._inside(at, size)
        if self.mode == "nearest":
            return [self._tap(round_to_even(at), scalar(1, read_type(at.type)), size)]
        below = f("floor", at)
        share = f("subtract", at, below)
        if self.mode == "linear":
            weights = [f("subtract", 1, share), share]
        else:
            weights = [_cubic(share, offset) for offset in (-1, 0, 1, 2)]
        first = 0 if self.mode == "linear" else -1
        return [self._tap(f("add", below, first + i), weight, size) for i, weight in enumerate(weights)]

    def _tap(self, index: ir.Value, weight: ir.Value, size: int) -> tuple[ir.Value, ir.Value]:
        t = read_type(index.type)
        if self.padding == "zeros":
            test = partial(ttir.build, result=t.with_dtype(DType.I1))
            inside = test("logical_and", test("ge", index, scalar(0, t)), test("le", index, scalar(size - 1, t)))
            weight = elementwise("multiply", weight, cast(inside, t.dtype), result=t)
        if self.mode == "cubic":
            index = self._inside(index, size)
        return ttir.clamp_scalar(index, min=0.0, max=float(max(size - 1, 0))), weight

    def _inside(self, at: ir.Value, size: int) -> ir.Value:
        """Return positions inside of the image, unless padding is zeros."""
        t = read_type(at.type)
        f = partial(elementwise, result=t)
        if self.padding == "zeros":
            return at
        if self.padding == "reflection":
            low, span = (0.0, size - 1.0) if self.corners else (-0.5, float(size))
            if not span:
                return scalar(0, t) if t.size == 1 else f("multiply", at, 0)
            rest = f("remainder", f("abs", f("subtract", at, low)), 2 * span)
            back = f("subtract", 2 * span, rest)
            at = f("add", f("minimum", rest, back), low)
            if self.mode == "cubic":
                return at
        return self._clamped(at, size)

    def _clamped(self, at: ir.Value, size: int) -> ir.Value:
        """Return positions at most at the outer elements; cubic ones within half an element of them stay."""
        found = ttir.clamp_scalar(at, min=0.0, max=float(size - 1))
        if self.mode != "cubic" or self.corners:
            return found
        t = read_type(at.type)
        near = ttir.clamp_scalar(at, min=-0.5, max=size - 0.5)
        return ttir.where(ttir.eq(near, at, result=t.with_dtype(DType.I1)), at, found)


def _cubic(share: ir.Value, offset: int) -> ir.Value:
    """Return the weight of the element at an offset from the one below a position."""
    f = partial(elementwise, result=read_type(share.type))
    distance = f("add", share, -offset) if offset <= 0 else f("subtract", offset, share)
    if offset in (0, 1):
        inner = f("subtract", f("multiply", distance, _CUBIC + 2), _CUBIC + 3)
        return f("add", f("multiply", f("multiply", inner, distance), distance), 1)
    outer = f("add", f("multiply", f("subtract", distance, 5), distance), 8)
    return f("multiply", f("subtract", f("multiply", outer, distance), 4), _CUBIC)


def sample(x: ir.Value, places: Sequence[ir.Value], how: Interpolation) -> ir.Value:
    """Return images or volumes [N, C, sizes] at positions in elements, one tensor [N, P] for each size: [N, C, P]."""
    t = read_type(x.type)
    batch, channels, *sizes = t.shape
    count = read_type(places[0].type).shape[-1]
    table = reshape_to(x, (batch, channels, math.prod(sizes)))
    line = TensorType((batch, count), DType.F32)
    f = partial(elementwise, result=line)
    total: ir.Value | None = None
    for corner in product(*(how.taps(cast(at, DType.F32), size) for at, size in zip(places, sizes, strict=True))):
        (flat, weight), *rest = corner
        for (index, share), size in zip(rest, sizes[1:], strict=True):
            flat, weight = f("add", f("multiply", flat, size), index), f("multiply", weight, share)
        rows = broadcast_to(reshape_to(cast(flat, DType.I32), (batch, 1, count)), (batch, channels, count))
        taken = ttir.gather(table, rows, dim=2)
        spread = reshape_to(broadcast_to(weight, (batch, count)), (batch, 1, count))
        term = elementwise("multiply", taken, spread, result=t.with_shape((batch, channels, count)))
        total = term if total is None else elementwise("add", total, term, result=read_type(term.type))
    assert total is not None
    return total
