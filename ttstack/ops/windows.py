"""Sliding windows: the shared geometry of convolutions and pools, and its checks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ttstack.ops.attributes import FlattenedCompat
from ttstack.ops.base import Op
from ttstack.ops.shapes import axis, expect
from ttstack.ops.types import TensorType

PerAxis = int | Sequence[int]
"""One number, or one for each spatial axis."""


def per_axis(name: str, value: PerAxis, rank: int) -> tuple[int, ...]:
    """Return one number for every spatial axis; raise `ValueError` if the count is wrong."""
    given = (value,) if isinstance(value, int) else tuple(value)
    if isinstance(value, int):
        return given * rank
    wanted = f"a number, or {rank} of them" if rank > 1 else "one"
    expect(len(given) == rank, f"{name} {list(given)} has {len(given)} values, expected {wanted}")
    return given


def low_and_high(value: PerAxis, rank: int) -> tuple[tuple[int, int], ...]:
    """Return padding before and after each axis, from one number, one per axis, or all lows and then all highs."""
    given = (value,) if isinstance(value, int) else tuple(value)
    if len(given) == 2 * rank:
        return tuple(zip(given[:rank], given[rank:], strict=True))
    fits = isinstance(value, int) or len(given) == rank
    expect(fits, f"padding {list(given)} has {len(given)} values, expected a number, {rank} or {2 * rank} of them")
    return tuple((p, p) for p in per_axis("padding", value, rank))


@dataclass(frozen=True)
class Window:
    """One spatial axis of a sliding window."""

    size: int
    kernel: int
    stride: int
    dilation: int
    low: int
    high: int
    ceil_mode: bool = False

    @property
    def extent(self) -> int:
        """Number of elements from the first to the last tap."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def count(self) -> int:
        """Number of windows along the axis; in ceil mode a window can overhang, but it starts inside (as in torch)."""
        room = self.size + self.low + self.high - self.extent
        if not self.ceil_mode:
            return room // self.stride + 1
        count = -(-room // self.stride) + 1
        return count - int((count - 1) * self.stride >= self.size + self.low)

    @property
    def overhang(self) -> int:
        """Number of elements after the padding that the last window still covers."""
        return max(0, (self.count - 1) * self.stride + self.extent - self.size - self.low - self.high)

    def taps(self, *, padding_counts: bool) -> tuple[int, ...]:
        """Return the number of elements that each window covers, with or without padding; overhang never counts."""
        low, high = (-self.low, self.size + self.high) if padding_counts else (0, self.size)
        starts = np.arange(self.count) * self.stride - self.low
        before, through = (np.clip(-((starts - end) // self.dilation), 0, self.kernel) for end in (low, high))
        return tuple((through - before).tolist())

    def check(self, name: str) -> None:
        """Raise `ValueError` if the window does not fit the axis `name`."""
        for what in ("kernel", "stride", "dilation"):
            value = getattr(self, what)
            expect(value > 0, f"{what} is {value} along the {name}, must be positive")
        expect(min(self.low, self.high) >= 0, f"padding is {min(self.low, self.high)} along the {name}, is negative")
        spread = f" with dilation {self.dilation} (extent {self.extent})" if self.dilation > 1 else ""
        whole = self.size + self.low + self.high
        padded = f"padded {name} {whole}" if self.low + self.high else f"{name} {whole}"
        expect(self.extent <= whole, f"kernel {self.kernel}{spread} is larger than the {padded} of the input")


class WindowOp(Op):
    """An op whose result elements each depend on a window of the input."""

    @property
    def windows(self) -> tuple[Window, ...]:
        """The checked windows of the spatial axes, outermost first."""
        raise NotImplementedError(f"{type(self).__name__}.windows")

    @property
    def batch(self) -> int:
        """The number of images or sequences."""
        raise NotImplementedError(f"{type(self).__name__}.batch")

    @property
    def apart(self) -> tuple[int, ...]:
        """The distance between input elements in the sliding window, for each axis."""
        return (1,) * len(self.windows)

    @property
    def channels(self) -> int:
        """Return the number of input channels."""
        raise NotImplementedError(f"{type(self).__name__}.channels")

    @cached_property
    def sliding(self) -> "Sliding":
        """The cached geometry of windows and images."""
        return Sliding(self.windows, self.apart, self.batch, self.channels)


@dataclass(frozen=True)
class Sliding:
    """The geometry of a sliding window over images."""

    windows: tuple[Window, ...]
    apart: tuple[int, ...]
    batch: int
    channels: int

    @cached_property
    def run(self) -> int:
        """Number of adjacent taps of a window."""
        inner = self.windows[-1]
        return inner.kernel if inner.dilation == 1 else 1

    @cached_property
    def taps(self) -> int:
        """Number of pixels in one window."""
        return math.prod(w.kernel for w in self.windows)

    @cached_property
    def is_pointwise(self) -> bool:
        """True if each output pixel depends on one input pixel and none is skipped, so windows are not assembled."""
        return all((w.kernel, w.stride, w.low, w.high) == (1, 1, 0, 0) for w in self.windows)


class ImageOp(WindowOp):
    """A window over images, whose pixels can be in one dimension: [1, 1, N * H * W, C].

    `flattened_compat_info` then has N, H and W, and the result has its pixels in one dimension too.
    """

    input: TensorType
    flattened_compat_info: FlattenedCompat | None = None

    def images(self) -> TensorType:
        """Return the input with separate batch, height and width.

        Raise `ValueError` if it does not hold such images.
        """
        expect(self.input.rank == 4, f"input has rank {self.input.rank}, not 4")
        sizes = self.flattened_compat_info
        if sizes is None:
            return self.input
        channels = self.input.shape[3]
        flat = (1, 1, math.prod(sizes), channels)
        said = f"{sizes[0]} images of {sizes[1]} x {sizes[2]}"
        expect(self.input.shape == flat, f"input {list(self.input.shape)} does not hold {said}: expected {list(flat)}")
        return self.input.with_shape((*sizes, channels))

    def flatten_result(self, result: TensorType) -> TensorType:
        """Return a result [N, H, W, C], flattened like the input."""
        if self.flattened_compat_info is None:
            return result
        return result.with_shape((1, 1, math.prod(result.shape[:3]), result.shape[3]))


def order_of(op: Op, names: Sequence[str], rank: int) -> tuple[int, ...]:
    """Return the positions of batch, spatial axes and channels by the `*_dim` attributes.

    Raise `ValueError` on a clash.
    """
    order = tuple(axis(getattr(op, f"{n}_dim"), rank, f"{n}_dim") for n in names)
    places = ", ".join(f"{n}_dim {at}" for n, at in zip(names, order, strict=True))
    expect(len(set(order)) == len(order), f"{places} name a dimension twice")
    return order
