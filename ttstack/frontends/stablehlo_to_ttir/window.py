"""Reductions of sliding windows: pools, running sums, and other regions tap by tap."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from ttstack.dialects.ttir.build import broadcast_to, concat_along, elementwise, permute_dims, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.limits import TAPS
from ttstack.frontends.stablehlo_to_ttir import body
from ttstack.frontends.stablehlo_to_ttir.operands import neutral
from ttstack.frontends.stablehlo_to_ttir.shape import cut, pad_around
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()


@dataclass(frozen=True)
class Windows:
    """The windows of an op along each dimension."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    between: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @staticmethod
    def of(call: StablehloOp) -> "Windows":
        """Read the windows of `reduce_window` or `select_and_scatter`."""
        sizes = call.integers("window_dimensions")
        ones = (1,) * len(sizes)
        pads = call.integers("padding", (0, 0) * len(sizes))
        between = tuple(d - 1 for d in call.integers("base_dilations", ones))
        strides, dilations = call.integers("window_strides", ones), call.integers("window_dilations", ones)
        return Windows(sizes, strides, dilations, between, pads[::2], pads[1::2])

    def taps(self) -> Iterator[tuple[int, ...]]:
        """Yield the offset of each element of a window from its first one."""
        steps = (range(0, n * d, d) for n, d in zip(self.sizes, self.dilations, strict=True))
        return product(*steps)

    def take_tap(self, x: ir.Value, tap: Sequence[int], counts: Sequence[int]) -> ir.Value:
        """Return the element at `tap` of each window of the padded input."""
        ends = [at + (n - 1) * s + 1 for at, n, s in zip(tap, counts, self.strides, strict=True)]
        return cut(x, tap, ends, self.strides)


@CONVERSIONS(
    "reduce_window", to="max_pool2d avg_pool2d multiply cumsum cumprod reverse pad slice_static concat permute"
)
def _reduce_window(call: StablehloOp) -> Sequence[ir.Value]:
    """Use a pool or a scan if possible, otherwise combine the elements of a window one by one."""
    windows, usual = Windows.of(call), body.kind(call.block())
    dim = _running(call, windows)
    if dim is not None:
        return _run(call, windows, usual, dim)
    if usual and (pooled := _pool(call, windows, usual)) is not None:
        return [pooled]
    if math.prod(windows.sizes) > TAPS:
        call.refuse(f"has windows of {math.prod(windows.sizes)} elements", f"at most {TAPS} are supported")
    count = len(call.operands) // 2
    starts = call.operands[count:]
    values = [
        pad_around(x, start, windows.low, windows.high, windows.between)
        for x, start in zip(call.operands, starts, strict=False)
    ]
    counts = call.result.shape
    found = [broadcast_to(start, counts) for start in starts]
    for tap in windows.taps():
        found = body.apply_region(call, call.block(), [*found, *(windows.take_tap(x, tap, counts) for x in values)])
    return found


def _running(call: StablehloOp, windows: Windows) -> int | None:
    """Return the dimension along which each window covers all elements up to its own, or from it on."""
    shape = call.types[0].shape
    wide = [d for d, size in enumerate(windows.sizes) if size > 1]
    plain = {*windows.strides, *windows.dilations} == {1} and not any(windows.between)
    if len(wide) != 1 or not plain or call.result.shape != shape:
        return None
    (dim,) = wide
    others = [a for d in range(len(shape)) if d != dim for a in (windows.low[d], windows.high[d])]
    sides = {windows.low[dim], windows.high[dim]}
    return dim if windows.sizes[dim] == shape[dim] and sides == {0, shape[dim] - 1} and not any(others) else None


def _run(call: StablehloOp, windows: Windows, usual: str | None, dim: int) -> Sequence[ir.Value]:
    count = len(call.operands) // 2
    backwards = windows.low[dim] == 0
    values = [ttir.reverse(v, dimensions=(dim,)) if backwards else v for v in call.operands[:count]]
    if usual in ("sum", "prod") and neutral(usual, call.tensor(1)):
        values = [ttir.build(f"cum{usual}", *values, dim=dim)]
    else:
        values = _scan(call, values, dim)
        starts = [broadcast_to(v, call.types[0].shape) for v in call.operands[count:]]
        values = body.apply_region(call, call.block(), [*starts, *values])
    return [ttir.reverse(v, dimensions=(dim,)) if backwards else v for v in values]


def _scan(call: StablehloOp, values: Sequence[ir.Value], dim: int) -> list[ir.Value]:
    """Combine each element with all before it: with the previous, then two before, four, and so on."""
    found, extent, by = list(values), call.types[0].shape[dim], 1
    while by < extent:
        early = [slice_along(v, dim, 0, extent - by) for v in found]
        late = [slice_along(v, dim, by, extent) for v in found]
        done = body.apply_region(call, call.block(), [*early, *late])
        found = [concat_along([slice_along(v, dim, 0, by), new], dim) for v, new in zip(found, done, strict=True)]
        by *= 2
    return found


def _pool(call: StablehloOp, windows: Windows, usual: str) -> ir.Value | None:
    """Build a pool of images [N, H, W, C] or [N, C, H, W]; None if it is not one."""
    t = call.types[0]
    wide = [d for d in range(t.rank) if windows.sizes[d] > 1 or windows.strides[d] > 1]
    order = next((o for o in ((0, 1, 2, 3), (0, 2, 3, 1)) if set(wide) <= set(o[1:3])), None)
    start = usual in ("max", "sum") and neutral(usual, call.tensor(1))
    if t.rank != 4 or order is None or not start or not t.dtype.is_float or any(windows.between):
        return None
    axes = order[1:3]
    pads = tuple(side[d] for side in (windows.low, windows.high) for d in axes)
    reach = [(windows.sizes[d] - 1) * windows.dilations[d] for d in axes]
    fits = min(pads) >= 0 and all(p <= r for p, r in zip(pads, reach * 2, strict=True))
    if not fits or any(windows.low[d] or windows.high[d] for d in range(4) if d not in axes):
        return None
    window = {
        "kernel": tuple(windows.sizes[d] for d in axes),
        "stride": tuple(windows.strides[d] for d in axes),
        "dilation": tuple(windows.dilations[d] for d in axes),
        "padding": pads,
        "ceil_mode": False,
    }
    pooled = (ttir.max_pool2d if usual == "max" else ttir.avg_pool2d)(permute_dims(call.tensor(0), order), **window)
    if usual == "sum":
        pooled = elementwise("multiply", pooled, math.prod(windows.sizes), result=read_type(pooled.type))
    return permute_dims(pooled, [order.index(d) for d in range(4)])
