"""The geometry that convolutions and pools share: padding, strides, counts of windows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ttstack_runtime.kernels.table import Array

Sides = int | Sequence[int]


def per_axis(value: Sides, rank: int) -> tuple[int, ...]:
    """One number for every spatial axis from a single number or one for each."""
    return (
        (value,) * rank
        if isinstance(value, int)
        else tuple(value)
        if len(value) == rank
        else tuple(value) * rank
    )


def low_and_high(padding: Sides, rank: int) -> tuple[tuple[int, int], ...]:
    """Padding before and after each axis from one number, one an axis, or all lows and then all highs."""
    if isinstance(padding, int) or len(padding) <= rank:
        return tuple((p, p) for p in per_axis(padding, rank))
    return tuple(zip(padding[:rank], padding[rank:], strict=True))


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

    def tap(self, index: int) -> slice:
        """Where tap `index` of all windows lies in the padded axis."""
        start = index * self.dilation
        return slice(start, start + (self.count - 1) * self.stride + 1, self.stride)

    def positions(self) -> Array:
        """[count, kernel]: where each tap of each window lies in the axis without padding."""
        starts = np.arange(self.count, dtype=np.int64) * self.stride - self.low
        return starts[:, None] + np.arange(self.kernel, dtype=np.int64) * self.dilation


def padded(x: Array, windows: Sequence[Window], value: float | None) -> Array:
    """[N, *spatial, C] with padding and overhang of `value`; None repeats the edge."""
    amounts = [(0, 0), *((w.low, w.high + w.overhang) for w in windows), (0, 0)]
    if not any(low or high for low, high in amounts):
        return x
    return np.pad(x, amounts, mode="edge") if value is None else np.pad(x, amounts, constant_values=value)
