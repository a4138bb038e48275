"""Samples at real positions: of grids, of regions, and of deformed filters."""

from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import (
    broadcast_to,
    cast,
    concat_along,
    constant,
    elementwise,
    permute_dims,
    reshape_to,
    scalar,
    slice_along,
)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.sampling import OPS, Interpolation, sample
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.indexing import pick_rows
from ttstack.frontends.torch_to_ttir.sampling import grid_sample
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

CONVERSIONS = OnnxConversionTable()

_OLDER = {"bilinear": "linear", "bicubic": "cubic"}
"""Modes of operator sets up to 19."""


@CONVERSIONS("GridSample", to=f"{OPS} slice_static")
def _grid_sample(call: OnnxOp) -> ir.Value:
    """Gather the elements around each position, and add them by weights."""
    mode: str = call.attribute("mode", "linear")
    corners = bool(call.attribute("align_corners", 0))
    how = Interpolation(_OLDER.get(mode, mode), call.attribute("padding_mode", "zeros"), corners)
    return grid_sample(call.tensor(0), call.tensor(1), how, call.result.shape)


@CONVERSIONS("RoiAlign", to=f"{OPS} embedding slice_static mean constant")
def _roi_align(call: OnnxOp) -> ir.Value:
    """Average samples of each part of a region; the number of samples must be given."""
    if call.attribute("mode", "avg") != "avg":
        call.refuse("takes the maximum of samples", 'use mode="avg"')
    ratio = call.attribute("sampling_ratio", 0)
    if not ratio:
        call.refuse("has as many samples as the size of a region asks for", "give sampling_ratio")
    x, rois = call.tensor(0), cast(call.tensor(1), DType.F32)
    count, channels, height, width = call.result.shape
    images = reshape_to(pick_rows(x, [0], call.tensor(2)), (count, *read_type(x.type).shape[1:]))
    half = call.attribute("coordinate_transformation_mode", "half_pixel") == "half_pixel"
    scale, offset = call.attribute("spatial_scale", 1.0), 0.5 if half else 0.0
    lines = list[ir.Value]()
    for dim, parts in enumerate((height, width)):
        column = TensorType((count, 1), DType.F32)
        f = partial(elementwise, result=column)
        low, high = (
            f("subtract", f("multiply", slice_along(rois, 1, at, at + 1), scale), offset) for at in (1 - dim, 3 - dim)
        )
        extent = f("subtract", high, low)
        extent = extent if half else f("maximum", extent, 1)
        share = (np.arange(parts * ratio)[None, :] + 0.5) / (parts * ratio)
        row = TensorType((1, parts * ratio), DType.F32)
        lines.append(_sum(low, elementwise("multiply", extent, constant(share, row), result=row)))
    places = _grid(lines, count)
    inside = _within(places, read_type(x.type).shape[2:])
    samples = sample(images, places, Interpolation("linear", "border"))
    kept = elementwise("multiply", samples, inside, result=read_type(samples.type))
    apart = reshape_to(kept, (count, channels, height, ratio, width, ratio))
    return ttir.mean(apart, keep_dim=False, dim_arg=(3, 5))


def _sum(a: ir.Value, b: ir.Value) -> ir.Value:
    return elementwise("add", a, b, result=read_type(b.type))


def _grid(lines: list[ir.Value], count: int) -> list[ir.Value]:
    """Return the positions [regions, rows * columns] of each dimension."""
    rows, columns = (read_type(line.type).shape[1] for line in lines)
    shapes = ((count, rows, 1), (count, 1, columns))
    return [
        reshape_to(broadcast_to(reshape_to(line, shape), (count, rows, columns)), (count, rows * columns))
        for line, shape in zip(lines, shapes, strict=True)
    ]


def _within(places: list[ir.Value], sizes: tuple[int, ...]) -> ir.Value:
    """Return 1 for positions at most one element beyond the edge, otherwise 0, as [regions, 1, positions]."""
    found: ir.Value | None = None
    for at, size in zip(places, sizes, strict=True):
        t = read_type(at.type)
        test = partial(ttir.build, result=t.with_dtype(DType.I1))
        inside = test("logical_and", test("ge", at, scalar(-1, t)), test("le", at, scalar(size, t)))
        found = inside if found is None else test("logical_and", found, inside)
    assert found is not None
    count, points = read_type(found.type).shape
    return reshape_to(cast(found, DType.F32), (count, 1, points))


@CONVERSIONS("DeformConv", to=f"{OPS} slice_static concat permute matmul add constant multiply")
def _deform_conv(call: OnnxOp) -> ir.Value:
    """Sample the image for each element of the filter, and multiply by the filters as matrices."""
    x, weight, offset = call.tensor(0), call.tensor(1), call.tensor(2)
    shape, filters = read_type(x.type).shape, read_type(weight.type).shape
    if len(shape) != 4:
        call.refuse(f"convolves {len(shape) - 2} dimensions", "2 are supported")
    mask = None if call.is_none(4) else call.tensor(4)
    groups = call.attribute("offset_group", 1)
    parts = list[ir.Value]()
    for group in range(groups):
        begin, end = (shape[1] * g // groups for g in (group, group + 1))
        parts.append(_columns(call, slice_along(x, 1, begin, end), offset, mask, group))
    columns = concat_along(parts, 1)
    batch, channels, taps, points = read_type(columns.type).shape
    count = call.attribute("group", 1)
    table = reshape_to(columns, (batch, count, channels // count * taps, points))
    matrix = reshape_to(weight, (1, count, filters[0] // count, channels // count * taps))
    product = reshape_to(ttir.matmul(matrix, table), call.result.shape)
    if call.is_none(3):
        return product
    bias = reshape_to(call.tensor(3), (1, filters[0], 1, 1))
    return elementwise("add", product, bias, result=call.result)


def _columns(call: OnnxOp, x: ir.Value, offset: ir.Value, mask: ir.Value | None, group: int) -> ir.Value:
    """Return the samples [N, channels, filter elements, positions] of one group of offsets."""
    batch, channels = read_type(x.type).shape[:2]
    *_, height, width = call.result.shape
    kernel = read_type(call.tensor(1).type).shape[2:]
    taps, points = kernel[0] * kernel[1], height * width
    strides, dilations = (call.attribute(name, None) or [1, 1] for name in ("strides", "dilations"))
    pads = call.attribute("pads", None) or [0] * 4
    own = slice_along(offset, 1, group * 2 * taps, (group + 1) * 2 * taps)
    own = permute_dims(reshape_to(own, (batch, taps, 2, points)), (2, 0, 1, 3))
    regular = np.meshgrid(*(np.arange(k) * d for k, d in zip(kernel, dilations, strict=True)), indexing="ij")
    corners = np.meshgrid(
        *(np.arange(n) * s - p for n, s, p in zip((height, width), strides, pads, strict=False)), indexing="ij"
    )
    places = list[ir.Value]()
    for dim in range(2):
        grid = regular[dim].reshape(-1, 1) + corners[dim].reshape(1, -1)
        t = TensorType((1, taps * points), DType.F32)
        moved = reshape_to(slice_along(own, 0, dim, dim + 1), (batch, taps * points))
        line = TensorType((batch, taps * points), DType.F32)
        places.append(elementwise("add", cast(moved, DType.F32), constant(grid.reshape(t.shape), t), result=line))
    found = reshape_to(sample(x, places, Interpolation("linear", "zeros")), (batch, channels, taps, points))
    if mask is None:
        return found
    share = reshape_to(slice_along(mask, 1, group * taps, (group + 1) * taps), (batch, 1, taps, points))
    return elementwise("multiply", found, share, result=read_type(found.type))
