"""Sliding windows: the geometry that convolutions and pools share, and how it can be ill-formed."""

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
    """One number for every spatial axis; raises `ValueError` where the count is wrong."""
    given = (value,) if isinstance(value, int) else tuple(value)
    if isinstance(value, int):
        return given * rank
    wanted = f"a number, or {rank} of them" if rank > 1 else "one"
    expect(len(given) == rank, f"{name} {list(given)} has {len(given)} values, expected {wanted}")
    return given


def low_and_high(value: PerAxis, rank: int) -> tuple[tuple[int, int], ...]:
    """Padding before and after each axis, from one number, one an axis, or all lows and then all highs."""
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
        """Elements from the first to the last tap."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def count(self) -> int:
        """Windows along the axis; in ceil mode a window can overhang, but it starts inside (as in torch)."""
        room = self.size + self.low + self.high - self.extent
        if not self.ceil_mode:
            return room // self.stride + 1
        count = -(-room // self.stride) + 1
        return count - int((count - 1) * self.stride >= self.size + self.low)

    @property
    def overhang(self) -> int:
        """Elements after the padding that the last window still covers."""
        return max(0, (self.count - 1) * self.stride + self.extent - self.size - self.low - self.high)

    def taps(self, *, padding_counts: bool) -> tuple[int, ...]:
        """How many elements each window sees, padding included or not; what overhangs the padding never counts."""
        low, high = (-self.low, self.size + self.high) if padding_counts else (0, self.size)
        starts = np.arange(self.count) * self.stride - self.low
        before, through = (np.clip(-((starts - end) // self.dilation), 0, self.kernel) for end in (low, high))
        return tuple((through - before).tolist())

    def check(self, name: str) -> None:
        """Raise `ValueError` where no window of this form fits an axis `name`."""
        for what in ("kernel", "stride", "dilation"):
            value = getattr(self, what)
            expect(value > 0, f"{what} is {value} along the {name}, must be positive")
        expect(min(self.low, self.high) >= 0, f"padding is {min(self.low, self.high)} along the {name}, is negative")
        spread = f" with dilation {self.dilation} (extent {self.extent})" if self.dilation > 1 else ""
        whole = self.size + self.low + self.high
        padded = f"padded {name} {whole}" if self.low + self.high else f"{name} {whole}"
        expect(self.extent <= whole, f"kernel {self.kernel}{spread} is larger than the {padded} of the input")


class WindowOp(Op):
    """An op whose result elements each see a window of the input."""

    @property
    def windows(self) -> tuple[Window, ...]:
        """One for each spatial axis, outermost first, checked."""
        raise NotImplementedError(f"{type(self).__name__}.windows")

    @property
    def batch(self) -> int:
        """Images, or sequences."""
        raise NotImplementedError(f"{type(self).__name__}.batch")

    @property
    def apart(self) -> tuple[int, ...]:
        """How far the input's own elements stand from one another in what the window slides over, for each axis."""
        return (1,) * len(self.windows)

    @property
    def channels(self) -> int:
        """Channels of the input."""
        raise NotImplementedError(f"{type(self).__name__}.channels")

    @cached_property
    def sliding(self) -> "Sliding":
        """All of these, worked out once."""
        return Sliding(self.windows, self.apart, self.batch, self.channels)


@dataclass(frozen=True)
class Sliding:
    """What slides over what."""

    windows: tuple[Window, ...]
    apart: tuple[int, ...]
    batch: int
    channels: int

    @cached_property
    def run(self) -> int:
        """Taps of one window that lie side by side."""
        inner = self.windows[-1]
        return inner.kernel if inner.dilation == 1 else 1

    @cached_property
    def taps(self) -> int:
        """Pixels that one window sees."""
        return math.prod(w.kernel for w in self.windows)

    @cached_property
    def is_pointwise(self) -> bool:
        """Whether each result pixel sees one pixel, and none is left out: no windows need to be put together."""
        return all((w.kernel, w.stride, w.low, w.high) == (1, 1, 0, 0) for w in self.windows)


class ImageOp(WindowOp):
    """A window over images, whose pixels can stand in one dimension: [1, 1, N * H * W, C].

    `flattened_compat_info` then says N, H and W, and the result has its pixels in one dimension too.
    """

    input: TensorType
    flattened_compat_info: FlattenedCompat | None = None

    def images(self) -> TensorType:
        """The input with batch, height and width apart; raises `ValueError` where it does not hold such images."""
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
        """A result [N, H, W, C], flattened as the input is."""
        if self.flattened_compat_info is None:
            return result
        return result.with_shape((1, 1, math.prod(result.shape[:3]), result.shape[3]))


def order_of(op: Op, names: Sequence[str], rank: int) -> tuple[int, ...]:
    """Where batch, spatial axes and channels stand, by the `*_dim` attributes; raises `ValueError` on a clash."""
    order = tuple(axis(getattr(op, f"{n}_dim"), rank, f"{n}_dim") for n in names)
    places = ", ".join(f"{n}_dim {at}" for n, at in zip(names, order, strict=True))
    expect(len(set(order)) == len(order), f"{places} name a dimension twice")
    return order
