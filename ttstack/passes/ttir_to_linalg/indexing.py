"""Slices, windows, and gathers and scatters by index."""

import numpy as np

from ttstack.mlir import arith, ir
from ttstack.ops.indexing import Gather, GetDimensionSize, Index, IndexSelect, Scatter, SliceDynamic, SliceStatic
from ttstack.ops.types import DType, storage_of
from ttstack.passes.ttir_to_linalg.checks import inside, require
from ttstack.passes.ttir_to_linalg.in_order import write
from ttstack.passes.ttir_to_linalg.movement import index_of, scale_and_add
from ttstack.passes.ttir_to_linalg.scalars import Scalar, compare, maximum, minimum, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Body, Dense, elementwise, full, generate, literal

LOWERINGS = LoweringTable()


@LOWERINGS("slice_static")
def _slice(op: SliceStatic, x: Dense) -> Dense:
    begins = [b + n if b < 0 else b for b, n in zip(op.begins, x.shape, strict=True)]
    return _strided(x, begins, op.results[0].shape, op.step)


@LOWERINGS("index")
def _index(op: Index, x: Dense) -> Dense:
    axis = op.dim % x.rank
    begins, steps = [0] * x.rank, [1] * x.rank
    begins[axis] = op.begin + x.shape[axis] if op.begin < 0 else op.begin
    steps[axis] = op.step
    return _strided(x, begins, op.results[0].shape, steps)


def _strided(x: Dense, begins: list[int], sizes: tuple[int, ...], steps: list[int] | tuple[int, ...]) -> Dense:
    if all(step > 0 for step in steps) and 0 not in sizes:
        return x.slice([min(b, n - 1) for b, n in zip(begins, x.shape, strict=True)], sizes, steps)
    last = [min(b, n - 1) for b, n in zip(begins, x.shape, strict=True)]

    def body(at: list[ir.Value]) -> Scalar:
        return x.at([scale_and_add(i, s, b) for i, s, b in zip(at, steps, last, strict=True)])

    return generate(body, sizes, x.dtype)


@LOWERINGS("slice_dynamic")
def _slice_dynamic(op: SliceDynamic, x: Dense, begins: Dense, ends: Dense) -> Dense:
    shape, steps = op.results[0].shape, op.step or (1,) * x.rank
    sizes, taken, by = (literal(np.array(v, np.int64), DType.I64) for v in (x.shape, shape, steps))
    first = elementwise(_bound, [begins.cast(DType.I64), sizes], DType.I64)
    last = elementwise(_bound, [ends.cast(DType.I64), sizes], DType.I64)

    def fits(b: Scalar, e: Scalar, n: Scalar, step: Scalar) -> Scalar:
        room = maximum(e - b, 0)
        found = Scalar(arith.divsi((room + step - 1).value, step.value), DType.I64)
        return compare("eq", found, n)

    require(elementwise(fits, [first, last, taken, by], DType.I1))
    most = [max(n - (m - 1) * s - 1, 0) for n, m, s in zip(x.shape, shape, steps, strict=True)]
    begin = elementwise(minimum, [first, literal(np.array(most, np.int64), DType.I64)], DType.I64)

    def body(at: list[ir.Value]) -> Scalar:
        starts = [index_of(begin.at([arith.constant(ir.IndexType.get(), d)])) for d in range(x.rank)]
        return x.at([arith.addi(scale_and_add(i, s), start) for i, s, start in zip(at, steps, starts, strict=True)])

    return generate(body, shape, x.dtype).cast(storage_of(op.results[0].dtype))


def _bound(b: Scalar, size: Scalar) -> Scalar:
    """Return a slice bound as Python counts it: negative from the end, and clamped."""
    return minimum(maximum(select(b < 0, b + size, b), 0), size)


@LOWERINGS("index_select")
def _index_select(op: IndexSelect, x: Dense) -> Dense:
    axis = op.dim % x.rank
    size = x.shape[axis]
    starts = np.arange(op.begin, size, op.stride or size, dtype=np.int64)
    picked = (starts[:, None] + np.arange(op.length, dtype=np.int64)).reshape(-1)
    return take(x, literal(picked[picked < size], DType.I64), axis)


def take(x: Dense, indices: Dense, axis: int) -> Dense:
    """Gather slices of an axis; all indices must be in range."""
    shape = [indices.size if d == axis else n for d, n in enumerate(x.shape)]

    def body(at: list[ir.Value]) -> Scalar:
        return x.at([index_of(indices.at([i])) if d == axis else i for d, i in enumerate(at)])

    return generate(body, shape, x.dtype)


@LOWERINGS("gather")
def _gather(op: Gather, x: Dense, index: Dense) -> Dense:
    axis = op.dim % x.rank
    return take_along(x, inside(index, x.shape[axis]), axis)


def take_along(x: Dense, index: Dense, axis: int) -> Dense:
    """Compute `torch.gather`; all indices must be in range."""

    def body(at: list[ir.Value]) -> Scalar:
        return x.at([index_of(index.at(at)) if d == axis else i for d, i in enumerate(at)])

    return generate(body, index.shape, x.dtype)


_COMBINE: dict[str, Body] = {
    "sum": lambda so_far, new: so_far + new,
    "prod": lambda so_far, new: so_far * new,
    "min": minimum,
    "max": maximum,
    "invalid": lambda _, new: new,
}
"""How scattering combines the present and the new value, by `scatter_reduce_type`."""


@LOWERINGS("scatter")
def _scatter(op: Scatter, x: Dense, index: Dense, source: Dense) -> Dense:
    axis = op.dim % x.rank
    places = inside(index, x.shape[axis])
    values = source.slice([0] * x.rank, index.shape).wide()

    def place(at: list[ir.Value]) -> list[ir.Value]:
        return [index_of(places.at(at)) if d == axis else i for d, i in enumerate(at)]

    return write(x.wide(), values, place, _COMBINE[op.scatter_reduce_type]).cast(x.dtype)


@LOWERINGS("get_dimension_size")
def _size(op: GetDimensionSize, x: Dense) -> Dense:
    return full(op.results[0].shape, x.shape[op.dimension], storage_of(op.results[0].dtype))
