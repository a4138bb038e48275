"""Pools and resizing of images, [N, H, W, C]."""

from typing import Any

from ttstack.ops.types import TILE, DType
from ttstack.ops.windows import per_axis
from ttstack.ttnn_python.calls.formats import compute_format
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type, layout


@calls("max_pool2d")
def max_pool2d(o: PlacedOp) -> Expression:
    """The largest of each window."""
    return _pool(o, "max_pool2d", [w.dilation for w in o.op.windows])


@calls("avg_pool2d")
def avg_pool2d(o: PlacedOp) -> Expression:
    """The mean of each window."""
    if any(w.dilation != 1 for w in o.op.windows):
        raise NoCallError("an average over windows with gaps has no call")
    return _pool(o, "avg_pool2d", None, count_include_pad=o.op.count_include_pad)


def _pool(o: PlacedOp, name: str, dilation: list[int] | None, **keywords: Any) -> Expression:
    n, h, w, c = o.op.images().shape
    t, found = o.result
    held = compute_format(name, o.operand_dtype)
    rows = call("reshape", o.as_format(0, held), [1, 1, n * h * w, c])
    windows = o.op.windows
    if any(2 * max(w.low, w.high) > w.kernel for w in windows):
        raise NoCallError("a pool around which there is more padding than half a window")
    pooled = call(
        name,
        rows,
        n,
        h,
        w,
        c,
        [w.kernel for w in windows],
        [w.stride for w in windows],
        padding(windows),
        *([] if dilation is None else [dilation]),
        ceil_mode=o.op.ceil_mode,
        **keywords,
        dtype=data_type(held),
        output_layout=layout(found),
        memory_config=o.memory,
    )
    return o.cast(call("reshape", pooled, list(t.shape)), held)


def padding(windows: Any) -> list[int]:
    """Above, below, left, right; two numbers where both sides are alike."""
    if all(w.low == w.high for w in windows):
        return [w.low for w in windows]
    return [side for w in windows for side in (w.low, w.high)]


@calls("global_avg_pool2d")
def global_avg_pool2d(o: PlacedOp) -> Expression:
    """The mean over height and width."""
    return o.unary("mean", dim=[1, 2], keepdim=True)


@calls("upsample2d")
def upsample2d(o: PlacedOp) -> Expression:
    """Pixels repeated, or interpolated; rows, not tiles, go in."""
    factors = per_axis("scale_factor", o.op.scale_factor, 2)
    if set(factors) == {1}:
        return call("clone", o.operand("input"), memory_config=o.memory)
    given, wanted = o.at("input")[1], o.result[1]
    if o.op.mode == "bilinear" and o.op.input.shape[-1] % TILE:
        raise NoCallError(f"interpolation between pixels of {o.op.input.shape[-1]} channels: of multiples of {TILE}")
    held = DType.BF16 if o.op.mode == "bilinear" else o.operand_dtype
    x = o.as_format(0, held)
    rows = call("to_layout", x, layout(_rows(given))) if given.tiled else x
    pages = o.constants.memory(wanted.interleave(wanted.memory_space), o.op.results[0])
    found = call("upsample", rows, list(factors), mode=o.op.mode, memory_config=pages)
    tiled = call("to_layout", found, layout(wanted), memory_config=o.memory) if wanted.tiled else found
    return o.cast(tiled, DType.BF16 if held.is_block else held)


def _rows(found: Any) -> Any:
    from dataclasses import replace

    return replace(found, tiled=False)
