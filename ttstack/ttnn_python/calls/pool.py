"""Pools and resizing of images, [N, H, W, C]."""

from typing import Any

from ttstack.ops.types import TILE
from ttstack.ops.windows import Window, per_axis
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, layout


@calls("max_pool2d")
def max_pool2d(o: PlacedOp) -> Expression:
    """Compute the maximum of each window."""
    return _pool(o, "max_pool2d", [w.dilation for w in o.op.windows])


@calls("avg_pool2d")
def avg_pool2d(o: PlacedOp) -> Expression:
    """Compute the mean of each window."""
    if any(w.dilation != 1 and w.kernel > 1 for w in o.op.windows):
        raise NoCallError("an average pool with dilation has no call")
    return _pool(o, "avg_pool2d", None, count_include_pad=o.op.count_include_pad)


def _pool(o: PlacedOp, name: str, dilation: list[int] | None, **keywords: Any) -> Expression:
    n, h, w, c = o.op.images().shape
    windows = o.op.windows
    if any(2 * max(w.low, w.high) > w.kernel for w in windows):
        raise NoCallError("a pool with more padding than half of its window has no call")
    return call(
        name,
        o.operands[0],
        n,
        h,
        w,
        c,
        [w.kernel for w in windows],
        [_step(window, extent) for window, extent in zip(windows, (h, w), strict=True)],
        padding(windows),
        *([] if dilation is None else [dilation]),
        ceil_mode=o.op.ceil_mode,
        **keywords,
        dtype=o.dtype,
        output_layout=layout(o.result[1]),
        memory_config=o.memory,
    )


def _step(window: Window, extent: int) -> int:
    """Return the stride; for a window that fits once, a value for the library's buffer planning."""
    fits_once = extent + window.low + window.high == window.kernel
    return min(window.stride, window.kernel) if fits_once else window.stride


def padding(windows: Any) -> list[int]:
    """Return above, below, left, right; two numbers if both sides are equal."""
    if all(w.low == w.high for w in windows):
        return [w.low for w in windows]
    return [side for w in windows for side in (w.low, w.high)]


@calls("global_avg_pool2d")
def global_avg_pool2d(o: PlacedOp) -> Expression:
    """Compute the mean over height and width."""
    return o.unary("mean", dim=[1, 2], keepdim=True)


@calls("upsample2d")
def upsample2d(o: PlacedOp) -> Expression:
    """Repeat or interpolate pixels; the input is in rows, not tiles."""
    factors = per_axis("scale_factor", o.op.scale_factor, 2)
    if set(factors) == {1}:
        return call("clone", o.operand("input"), memory_config=o.memory)
    if o.op.mode == "bilinear" and o.op.input.shape[-1] % TILE:
        raise NoCallError(f"bilinear upsampling of {o.op.input.shape[-1]} channels: multiples of {TILE} only")
    return o.unary("upsample", list(factors), mode=o.op.mode)
