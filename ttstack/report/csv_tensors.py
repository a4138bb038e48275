"""Tensors in the cells of `ops_perf_results`."""

import math
from collections.abc import Iterator

from ttstack.device.data_types import data_type_name
from ttstack.device.layout import Layout
from ttstack.ops.base import OPS
from ttstack.ops.conv import Convolution
from ttstack.ops.matmul import Matmul
from ttstack.ops.types import TILE, TensorType
from ttstack.report.csv_columns import TENSOR
from ttstack.report.csv_windows import Shape, convolution, operand_shape, padded_channels, result_shape
from ttstack.report.model import OpReport, TensorReport


def tensor_cells(op: OpReport) -> Iterator[tuple[str, str]]:
    """(column, cell) for all operands and results."""
    found = convolution(op)
    for i, tensor in enumerate(op.operands):
        if found is None:
            yield from _cells(f"INPUT_{i}", tensor, _consumed(op, i, tensor.type.shape))
        elif i == 0 and not found.sliding.is_pointwise:
            yield from _pixel_cells("INPUT_0", tensor, found)
        else:
            yield from _cells(f"INPUT_{i}", tensor, operand_shape(found, i))
    for i, tensor in enumerate(op.results):
        yield from _cells(f"OUTPUT_{i}", tensor, result_shape(found) if found else tensor.type.shape)


def _cells(name: str, tensor: TensorReport, shape: Shape) -> Iterator[tuple[str, str]]:
    tiled = tensor.layout.tiled
    logical = four(shape)
    padded = (*logical[:2], *(-(-extent // TILE) * TILE if tiled else extent for extent in logical[2:]))
    return _row(name, tensor.layout, (padded, logical), "TILE" if tiled else "ROW_MAJOR")


def _pixel_cells(name: str, tensor: TensorReport, found: Convolution) -> Iterator[tuple[str, str]]:
    """Yield the cells of a convolution's input after the halo: pixels as rows."""
    logical = four(operand_shape(found, 0))
    return _row(name, tensor.layout, ((*logical[:3], padded_channels(found)), logical), "ROW_MAJOR")


def _row(name: str, layout: Layout, extents: tuple[Shape, Shape], pages: str) -> Iterator[tuple[str, str]]:
    dims = (f"{pad}[{extent}]" for pad, extent in zip(*extents, strict=True))
    memory = f"DEV_0_{layout.memory_space}_{layout.memory_layout}".upper()
    cells = (*dims, pages, data_type_name(layout.dtype), memory)
    yield from ((f"{name}_{field}", cell) for field, cell in zip(TENSOR, cells, strict=True))


def four(shape: Shape) -> Shape:
    """Return the shape in four dimensions: ones in front, or the leading dimensions as one."""
    shape = (1,) * (4 - len(shape)) + shape
    return (math.prod(shape[:-3]), *shape[-3:])


def shard_extents(t: TensorType, layout: Layout) -> tuple[int, int]:
    """Rows and columns of elements of a shard, padded to tiles."""
    rows, cols = layout.shard(t)
    return (rows * TILE, cols * TILE) if layout.tiled else (rows, t.shape[-1])


def _consumed(op: OpReport, place: int, shape: Shape) -> Shape:
    """Return the shape of an operand in the kernel: matmul operands are matrices, already transposed."""
    if place > 1 or not issubclass(OPS[op.name], Matmul):
        return shape
    if len(shape) == 1:
        return shape if place == 0 else (*shape, 1)
    transposed = op.attributes.get("transpose_b" if place else "transpose_a", False)
    return (*shape[:-2], shape[-1], shape[-2]) if transposed else shape
