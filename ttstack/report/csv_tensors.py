"""Tensors in the cells of `ops_perf_results`."""

import math
from collections.abc import Iterator

from ttstack.ops.base import OPS
from ttstack.ops.matmul import Matmul
from ttstack.ops.types import TILE, DType
from ttstack.report.csv_columns import TENSOR
from ttstack.report.model import OpReport, TensorReport

_FLOATS = {DType.BF16: "BFLOAT16", DType.BFP8_B: "BFLOAT8_B", DType.BFP4_B: "BFLOAT4_B"}


def tensor_cells(op: OpReport) -> Iterator[tuple[str, str]]:
    """(column, cell) for all operands and results."""
    for i, tensor in enumerate(op.operands):
        yield from _cells(f"INPUT_{i}", tensor, _consumed(op, i, tensor.type.shape))
    for i, tensor in enumerate(op.results):
        yield from _cells(f"OUTPUT_{i}", tensor, tensor.type.shape)


def _cells(name: str, tensor: TensorReport, shape: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    layout = tensor.layout
    logical = four(shape)
    padded = [*logical[:2], *(-(-extent // TILE) * TILE if layout.tiled else extent for extent in logical[2:])]
    dims = (f"{pad}[{extent}]" for pad, extent in zip(padded, logical, strict=True))
    memory = f"DEV_0_{layout.memory_space}_{layout.memory_layout}".upper()
    cells = (*dims, "TILE" if layout.tiled else "ROW_MAJOR", datatype(layout.dtype), memory)
    yield from ((f"{name}_{field}", cell) for field, cell in zip(TENSOR, cells, strict=True))


def four(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in four dimensions: ones in front, or the leading dimensions as one."""
    shape = (1,) * (4 - len(shape)) + shape
    return (math.prod(shape[:-3]), *shape[-3:])


def datatype(dtype: DType) -> str:
    """The name of a format in tt-metal: FLOAT32, BFLOAT16, BFLOAT8_B, UINT32, INT32."""
    if dtype in _FLOATS:
        return _FLOATS[dtype]
    return f"{'FLOAT' if dtype.is_float else 'UINT' if dtype.is_unsigned else 'INT'}{dtype.bits}"


def _consumed(op: OpReport, place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an operand as the kernel takes it: factors of a product are matrices, transposed beforehand."""
    if place > 1 or not issubclass(OPS[op.name], Matmul):
        return shape
    if len(shape) == 1:
        return shape if place == 0 else (*shape, 1)
    transposed = op.attributes.get("transpose_b" if place else "transpose_a", False)
    return (*shape[:-2], shape[-1], shape[-2]) if transposed else shape
