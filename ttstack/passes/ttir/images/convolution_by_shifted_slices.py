"""Depthwise convolutions along a length as sums of shifted slices, each times a weight by channel."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to, slice_as, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.conv import Conv1d
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.types import TILE, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.compile_time import is_known

_TAPS = 8
"""Kernels of more taps are left to the library."""
_LAST = (0, 1, 2)


class ConvolutionByShiftedSlices(Pass, name="convolution-by-shifted-slices"):
    """A depthwise `conv1d` of few taps becomes shifted multiply-adds, if that is predicted to be faster.

    The library multiplies matrices of windows, in which each channel meets zeros of all others. A module without a
    device is unchanged.
    """

    def run(self, module: ir.Module) -> None:
        """Look at each convolution along a length."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [(f"ttir.{Conv1d.mnemonic}", partial(_shifted, prices=prices))])


@dataclass(frozen=True)
class _Taps:
    """The slice of the filled up input that each tap sees."""

    conv: Conv1d

    @property
    def zeros(self) -> tuple[int, int]:
        """Rows of zeros before and after the length: whole tiles, which leave those of the input where they are."""
        (window,) = self.conv.windows
        low, high = (-(-rows // TILE) * TILE for rows in (window.low, window.high))
        return low, high

    @property
    def filled(self) -> TensorType:
        """The input between these rows."""
        batch, length, channels = self.conv.input.shape
        return self.conv.input.with_shape((batch, length + sum(self.zeros), channels))

    @property
    def slices(self) -> list[SliceStatic]:
        """[batch, windows, channels] for each tap."""
        (window,), (low, _), t = self.conv.windows, self.zeros, self.filled
        begins = [low - window.low + tap * window.dilation for tap in range(window.kernel)]
        last, step = (window.count - 1) * window.stride + 1, (1, window.stride, 1)
        ends = [(t.shape[0], begin + last, t.shape[2]) for begin in begins]
        cuts = zip(begins, ends, strict=True)
        return [SliceStatic(input=t, begins=(0, begin, 0), ends=end, step=step) for begin, end in cuts]

    def fill(self, x: ir.Value) -> ir.Value:
        """The input between its rows of zeros."""
        low, high = (self._zeros(rows) for rows in self.zeros)
        parts = [part for part in (low, x, high) if part is not None]
        return parts[0] if len(parts) == 1 else ttir.concat(*parts, dim=1)

    def _zeros(self, rows: int) -> ir.Value | None:
        t = self.conv.input
        return splat(0, t.with_shape((t.shape[0], rows, t.shape[2]))) if rows else None

    @property
    def row(self) -> TensorType:
        """A weight by channel."""
        return self.conv.weight.with_shape((1, 1, self.conv.channels))

    def ops(self) -> Sequence[Op]:
        """What it takes in a run: weights are cut before."""
        result, t, count = self.conv.results[0], self.conv.input, len(self.slices)
        parts = [t.with_shape((t.shape[0], rows, t.shape[2])) for rows in self.zeros if rows]
        joined = [OPS["concat"].on([*parts, t], {"dim": 1})] if parts else []
        cuts = [cut for cut in self.slices if cut.results[0] != cut.input]
        products = [OPS["multiply"].on([result, self.row], {})] * count
        added = [OPS["add"].on([result, result], {})] * (count - 1 + (self.conv.bias is not None))
        return [*joined, *cuts, *products, *added]


def _shifted(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    conv = definition_of(op)
    assert isinstance(conv, Conv1d)
    depthwise = conv.groups == conv.channels == conv.out_channels
    if not depthwise or conv.order != _LAST or conv.activation or conv.weight.shape[2] > _TAPS:
        return None
    x, weight, *bias = op.operands
    taps = _Taps(conv)
    if not is_known(weight) or prices.sum_of(taps.ops()) >= prices.sum_of([conv]):
        return None
    filled = taps.fill(x)
    made = list[ir.Value]()
    for tap, cut in enumerate(taps.slices):
        begins, ends = (0, 0, tap), (*conv.weight.shape[:2], tap + 1)
        column = ttir.slice_static(weight, begins=begins, ends=ends, step=(1, 1, 1))
        made.append(ttir.multiply(slice_as(filled, cut), reshape_to(column, taps.row.shape)))
    total = reduce(ttir.add, made)
    return [ttir.add(total, reshape_to(bias[0], taps.row.shape)) if bias else total]
