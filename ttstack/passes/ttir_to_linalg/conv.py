"""Convolutions as matmuls: the taps of all windows become a matrix, channels before windows."""

from itertools import product as tuples
from math import prod

from ttstack.mlir import ir
from ttstack.ops.conv import Convolution
from ttstack.ops.windows import Window, low_and_high, per_axis
from ttstack.passes.ttir_to_linalg.eltwise import activate
from ttstack.passes.ttir_to_linalg.matmul import product
from ttstack.passes.ttir_to_linalg.movement import index_of, number_of, pad, strided_windows
from ttstack.passes.ttir_to_linalg.scalars import Scalar, maximum, minimum
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, full, generate

LOWERINGS = LoweringTable()

_SPATIAL = {1: ("length_dim",), 2: ("height_dim", "width_dim"), 3: ("depth_dim", "height_dim", "width_dim")}


def images(op: object, x: Dense) -> Dense:
    """Return images as [N, H, W, C], also from [1, 1, N * H * W, C]."""
    whole = getattr(op, "flattened_compat_info", None)
    return x if whole is None else x.reshape(*whole, x.shape[-1])


@LOWERINGS("conv1d", "conv2d", "conv3d")
def _convolution(op: Convolution, x: Dense, weight: Dense, bias: Dense | None = None) -> Dense:
    names = _SPATIAL[weight.rank - 2]
    order = [op.batch_dim, op.channel_dim, *(getattr(op, name) for name in names)]  # pyright: ignore[reportAttributeAccessIssue]
    source = images(op, x).transpose(order).wide()
    windows = _windows(op, source, weight)
    edge = getattr(op, "padding_mode", "zeros") == "replicate"
    padded = _pad(source, windows, edge)
    out = _convolve(padded, weight.wide(), windows, op.groups)
    return _finish(op, out, bias, order)


def _finish(op: Convolution, out: Dense, bias: Dense | None, order: list[int]) -> Dense:
    if bias is not None:
        spread = bias.wide().reshape(1, -1, *[1] * (out.rank - 2))
        out = elementwise(lambda e, b: e + b, [out, spread], out.dtype)
    out = activate(out, op.activation)
    back = [order.index(d) for d in range(out.rank)]
    return out.transpose(back).cast(op.results[0].dtype).reshape(*op.results[0].shape)


def _windows(op: Convolution, source: Dense, weight: Dense) -> list[Window]:
    rank, kernel = weight.rank - 2, weight.shape[2:]
    strides, dilations = per_axis("stride", op.stride, rank), per_axis("dilation", getattr(op, "dilation", 1), rank)
    pads = low_and_high(op.padding, rank)
    return [Window(source.shape[2 + i], kernel[i], strides[i], dilations[i], *pads[i]) for i in range(rank)]


def _pad(x: Dense, windows: list[Window], edge: bool) -> Dense:
    low, high = [0, 0, *(w.low for w in windows)], [0, 0, *(w.high + w.overhang for w in windows)]
    return repeat_edges(x, low, high) if edge else pad(x, low, high, 0)


def repeat_edges(x: Dense, low: list[int], high: list[int]) -> Dense:
    """Pad with the values of the edges."""
    shape = [lo + n + hi for lo, n, hi in zip(low, x.shape, high, strict=True)]

    def body(at: list[ir.Value]) -> Scalar:
        near = [
            index_of(minimum(maximum(number_of(i) - lo, 0), n - 1)) for i, lo, n in zip(at, low, x.shape, strict=True)
        ]
        return x.at(near)

    return generate(body, shape, x.dtype)


def _convolve(source: Dense, weight: Dense, windows: list[Window], groups: int) -> Dense:
    """Compute [N, O, *counts] from [N, C, *padded] and [O, C / groups, *kernel]."""
    batch, channels = source.shape[:2]
    counts = [w.count for w in windows]
    out_channels = weight.shape[0]
    if groups == channels == out_channels and weight.shape[1] == 1:
        return _depthwise(source, weight, windows)
    columns = _columns(source, windows)
    depth = channels // groups * prod(w.kernel for w in windows)
    if groups == 1:
        made = product(weight.reshape(out_channels, depth), columns.reshape(batch, depth, prod(counts)))
    else:
        stacked = weight.reshape(1, groups, out_channels // groups, depth)
        made = product(stacked, columns.reshape(batch, groups, depth, prod(counts)))
    return made.reshape(batch, out_channels, *counts)


def _columns(source: Dense, windows: list[Window]) -> Dense:
    """Return [N, C, *kernel, *counts]: the element at each tap of each window."""
    if all(w.kernel == w.stride == 1 for w in windows):
        return source
    return strided_windows(source, windows)


def _depthwise(source: Dense, weight: Dense, windows: list[Window]) -> Dense:
    """Compute a depthwise convolution: shifted inputs times the weights of the tap, added in place."""
    batch, channels = source.shape[:2]
    counts = [w.count for w in windows]
    out = full((batch, channels, *counts), 0, source.dtype)
    for taps in tuples(*(range(w.kernel) for w in windows)):
        begins = [0, 0, *(t * w.dilation for t, w in zip(taps, windows, strict=True))]
        shifted = source.slice(begins, [batch, channels, *counts], [1, 1, *(w.stride for w in windows)])
        factor = weight.slice([0, 0, *taps], [channels, 1, *[1] * len(taps)]).reshape(1, channels, *[1] * len(taps))
        out = elementwise(lambda e, s, f: e + s * f, [out, shifted, factor], out.dtype)
    return out


@LOWERINGS("conv_transpose2d")
def _transposed(op: Convolution, x: Dense, weight: Dense, bias: Dense | None = None) -> Dense:
    order = [op.batch_dim, op.channel_dim, op.height_dim, op.width_dim]  # pyright: ignore[reportAttributeAccessIssue]
    source = images(op, x).transpose(order).wide()
    batch, channels, *sizes = source.shape
    kernel, out_channels = weight.shape[2:], weight.shape[1] * op.groups
    steps, spread = per_axis("stride", op.stride, 2), per_axis("dilation", op.dilation, 2)  # pyright: ignore[reportAttributeAccessIssue]
    extra = per_axis("output_padding", op.output_padding, 2)  # pyright: ignore[reportAttributeAccessIssue]
    rows = source.reshape(batch, op.groups, channels // op.groups, prod(sizes))
    filters = weight.wide().reshape(1, op.groups, channels // op.groups, -1)
    taps = product(filters, rows, transpose_a=True).reshape(batch, out_channels, *kernel, *sizes)
    spans = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(sizes, steps, kernel, spread, strict=True)]
    whole = full((batch, out_channels, *(n + e for n, e in zip(spans, extra, strict=True))), 0, taps.dtype)
    for i, j in tuples(range(kernel[0]), range(kernel[1])):
        part = taps.slice([0, 0, i, j, 0, 0], [batch, out_channels, 1, 1, *sizes]).reshape(batch, out_channels, *sizes)
        begins, apart = [0, 0, i * spread[0], j * spread[1]], [1, 1, *steps]
        so_far = whole.slice(begins, part.shape, apart)
        whole = whole.put(elementwise(lambda a, b: a + b, [so_far, part], whole.dtype), begins, apart)
    crop = low_and_high(op.padding, 2)
    begins = [0, 0, *(low for low, _ in crop)]
    extents = [batch, out_channels, *(n - lo - hi for n, (lo, hi) in zip(whole.shape[2:], crop, strict=True))]
    return _finish(op, whole.slice(begins, extents), bias, order)
