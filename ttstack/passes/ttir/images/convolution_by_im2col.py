"""im2col: convolutions whose windows hardly overlap as matmuls of windows, gathered by row lookups."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ttstack.dialects.built_ops import record
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.op_groups import clone_on
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant, permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.conv import Convolution
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.ops.windows import Window
from ttstack.passes.rewriting.candidates import Candidate, Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import unshared_source
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import ways
from ttstack.passes.ttir.queries.producers import is_shared

Root = views.Conv1d | views.Conv2d | views.Conv3d
Indices = np.ndarray[Any, np.dtype[np.int64]]

_MOST_OVERLAP = 4
"""Maximum average number of windows per element: it is gathered for each window."""


@rewrite("convolution-by-im2col", if_faster=True, placed=True, stage=Stage.MATMULS)
def convolution_by_im2col(op: views.Conv1d | views.Conv2d | views.Conv3d) -> Iterator[Candidate] | Declined | None:
    """`conv2d(x, w)` = `linear(windows(x), w)`, as im2col, with windows gathered by row lookups.

    Elements at one position of a window are rows of a head each, and heads are concatenated. Rows are
    - pixels of whole tiles of channels, for each element of a window, or
    - of images with channels first, columns of lines: lines of all channels and of all rows of a window are looked up
      below one another and transposed; then each column of a window is a head.

    It applies to patches, which do not overlap, to windows at every second pixel, and to windows without padding that
    overlap little.
    """
    conv = op.described
    windows = conv.windows
    kernel, steps = (math.prod(getattr(w, name) for w in windows) for name in ("kernel", "stride"))
    if conv.groups != 1 or conv.sliding.is_pointwise or kernel > _MOST_OVERLAP * steps:
        return None
    if any(window.low or window.high for window in windows):
        return Declined("windows reach over the border")
    if not is_known(op.weight):
        return Declined("the weight is computed in the program")
    return _candidates(op, conv)


def _candidates(op: Root, conv: Convolution) -> Iterator[Candidate]:
    if conv.channels % TILE == 0:
        yield partial(_by_pixels, op, conv)
    source = _channels_first(op.input, conv)
    if source is not None and conv.sliding.taps == 1:
        yield partial(_by_slice, op, conv, source)
    elif source is not None:
        filled = (*conv.windows[:-2], *map(_fill_tiles, conv.windows[-2:]))
        yield from (
            partial(_by_columns, op, conv, source, windows) for windows in dict.fromkeys((conv.windows, filled))
        )


def _channels_first(value: ir.Value, conv: Convolution) -> ir.Value | None:
    """Return the channels-first images that the images of a convolution are, or are a permutation of."""
    batch, *spatial, channels = range(len(conv.sizes))
    if conv.order == (0, *range(2, len(conv.sizes)), 1):
        return value
    for steps, moved in ways(value) if conv.order == (batch, *spatial, channels) else ():
        images = moved.reshape(conv.sizes)
        if images is not None and images.permute((batch, channels, *spatial)).keeps_order:
            return steps[0].operands[0]
    return None


def _fill_tiles(window: Window) -> Window:
    """Return the same windows of an axis that is padded to whole tiles."""
    more = -window.size % TILE
    return replace(window, size=window.size + more, high=window.high - more)


def _by_pixels(op: Root, conv: Convolution) -> ir.Value | None:
    """Gather each element of a window as a head."""
    if (source := _made_anew(op.input)) is None:
        return None
    channels, spatial = conv.channels, range(2, conv.weight.rank)
    rows = _places(conv.batch, conv.windows)
    pixels = permute_dims(source, conv.order)
    table = reshape_to(pixels, (conv.batch * math.prod(w.size for w in conv.windows), channels))
    weight = permute_dims(op.weight, (0, *spatial, 1))
    return _multiply(op, conv, table, rows, reshape_to(weight, (conv.out_channels, rows.shape[0] * channels)))


def _by_slice(op: Root, conv: Convolution, source: ir.Value) -> ir.Value:
    """Slice windows of one element from channels-first images."""
    images = reshape_to(source, (conv.batch, conv.channels, *(w.size for w in conv.windows)))
    for dim, window in enumerate(conv.windows, 2):
        images = slice_along(images, dim, 0, (window.count - 1) * window.stride + 1, window.stride)
    rank = len(conv.order)
    pixels = permute_dims(images, (0, *range(2, rank), 1))
    count = conv.batch * math.prod(w.count for w in conv.windows)
    weight = reshape_to(op.weight, (conv.out_channels, conv.channels))
    return _product(op, conv, reshape_to(pixels, (count, conv.channels)), weight)


def _by_columns(op: Root, conv: Convolution, source: ir.Value, windows: Sequence[Window]) -> ir.Value | None:
    """Gather each column of a window as a head, with all channels and rows of the window."""
    if (images := _made_anew(source)) is None:
        return None
    *outer, line = windows
    depth = conv.channels * math.prod(w.kernel for w in outer)
    padded = -(-depth // TILE) * TILE
    lines = _lines(conv.batch, conv.channels, outer)
    lines = np.concatenate([lines, np.repeat(lines[:, :1], padded - depth, 1)], 1)
    images = _filled(reshape_to(images, (conv.batch, conv.channels, *(w.size for w in conv.windows))), windows)
    count = conv.batch * conv.channels * math.prod(w.size for w in outer)
    found = ttir.embedding(_constant(lines), reshape_to(images, (count, line.size)))
    table = reshape_to(permute_dims(found, (0, 2, 1)), (lines.shape[0] * line.size, padded))
    columns = np.arange(lines.shape[0])[:, None] * line.size + np.arange(line.count) * line.stride
    rows = columns.reshape(1, -1) + np.arange(line.kernel)[:, None] * line.dilation
    weight = permute_dims(op.weight, (0, conv.weight.rank - 1, *range(1, conv.weight.rank - 1)))
    weight = reshape_to(weight, (conv.out_channels, line.kernel, depth))
    if padded > depth:
        weight = ttir.pad(weight, padding=(0, 0, 0, 0, 0, padded - depth), value=0.0)
    return _multiply(op, conv, table, rows, reshape_to(weight, (conv.out_channels, line.kernel * padded)))


def _filled(images: ir.Value, windows: Sequence[Window]) -> ir.Value:
    """Return images [batch, channels, ...] padded with zeros to the size of the windows."""
    _, _, *sizes = read_type(images.type).shape
    more = [window.size - size for window, size in zip(windows, sizes, strict=True)]
    if not any(more):
        return images
    return ttir.pad(images, padding=(0, 0, 0, 0, *(n for high in more for n in (0, high))), value=0.0)


def _made_anew(value: ir.Value) -> ir.Value | None:
    """Rebuild a value by its op, so that it is priced with it; None if it has other uses.

    Arguments reach lookups in row-major layout. Other values are tiled or sharded, which costs a conversion.
    """
    source = unshared_source(value)
    maker = defining_op(source)
    if maker is None:
        return value
    if is_shared(source) or len(maker.results) != 1 or pure_producer(source) is None:
        return None
    return reshape_to(record(clone_on(maker, list(maker.operands))).results[0], read_type(value.type).shape)


def _places(batch: int, windows: Sequence[Window]) -> Indices:
    """Return the pixel of each element of each window, among all images: [elements of a window, windows]."""
    place = np.arange(batch).reshape(1, -1)
    for window in windows:
        at = np.arange(window.count) * window.stride + np.arange(window.kernel)[:, None] * window.dilation
        place = place[:, None, :, None] * window.size + at[None, :, None, :]
        place = place.reshape(place.shape[0] * window.kernel, -1)
    return place


def _lines(batch: int, channels: int, outer: Sequence[Window]) -> Indices:
    """Return the line of each line of each row of windows, among all channels-first images, windows first."""
    within = _places(1, outer)
    first = (np.arange(batch)[:, None] * channels + np.arange(channels)) * math.prod(w.size for w in outer)
    lines = first[:, None, :, None] + within.T[None, :, None, :]
    return lines.reshape(batch * within.shape[1], channels * within.shape[0])


def _constant(indices: Indices) -> ir.Value:
    return constant(indices.astype(np.uint32), TensorType(indices.shape, DType.UI32))


def _multiply(op: Root, conv: Convolution, table: ir.Value, rows: Indices, weight: ir.Value) -> ir.Value:
    """Concatenate rows of a table, one head for each element of windows, and multiply them by a matrix.

    Windows are padded to whole tiles by copies of the first one, which are sliced off again.
    """
    heads, count = rows.shape
    rows = np.concatenate([rows, np.repeat(rows[:, :1], -count % TILE, 1)], 1)
    found = ttir.embedding(_constant(rows.reshape(-1)), table)
    apart = reshape_to(found, (1, heads, rows.shape[1], read_type(table.type).shape[-1]))
    together = apart if heads == 1 else ttir.concatenate_heads(apart)
    matrix = reshape_to(together, (rows.shape[1], read_type(weight.type).shape[-1]))
    return _product(op, conv, matrix, weight)


def _product(op: Root, conv: Convolution, matrix: ir.Value, weight: ir.Value) -> ir.Value:
    """Multiply rows, of which the first are windows, by a matrix, and reshape to the convolution's result."""
    bias = None if op.bias is None else reshape_to(op.bias, (conv.out_channels,))
    product = ttir.linear(matrix, weight, bias, transpose_b=True, activation=conv.activation)
    product = slice_along(product, 0, 0, conv.batch * math.prod(w.count for w in conv.windows))
    shape = [conv.results[0].shape[dim] for dim in conv.order]
    return permute_dims(reshape_to(product, shape), np.argsort(conv.order).tolist())
