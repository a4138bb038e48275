"""Reductions, scans and softmax; sums and products of reals accumulate in float64, as in the runtime."""

from math import prod

import numpy as np

from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg import formulas
from ttstack.passes.ttir_to_linalg.folds import fold, reduce
from ttstack.passes.ttir_to_linalg.movement import number_of
from ttstack.passes.ttir_to_linalg.scalars import Number, Scalar, compare, is_nan, maximum, minimum, select, truth
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise

LOWERINGS = LoweringTable()


def axes_of(op: Op, x: Dense) -> list[int]:
    """Return the axes that a reduction names; all if it names none."""
    named = op.dim_arg  # pyright: ignore[reportAttributeAccessIssue]
    return [axis % x.rank for axis in named] if named else list(range(x.rank))


def accumulator(dtype: DType) -> DType:
    """Return the accumulator type for sums of a type."""
    return DType.F64 if dtype.is_float else dtype


def limits(dtype: DType) -> tuple[Number, Number]:
    """Return the smallest and the largest value."""
    if dtype.is_float:
        return -np.inf, np.inf
    if dtype is DType.I1:
        return 0, 1
    return int(np.iinfo(dtype.numpy).min), int(np.iinfo(dtype.numpy).max)


def total(x: Dense, axes: list[int], *, keep: bool = False) -> Dense:
    """Return the sum in the accumulator's type."""
    return reduce(lambda so_far, e: so_far + e, x, axes, 0, accumulator(x.dtype), keep=keep)


def mean_of(x: Dense, axes: list[int], *, keep: bool = False) -> Dense:
    """Return the mean in float64."""
    count = prod(x.shape[axis] for axis in axes)
    wide = reduce(lambda so_far, e: so_far + e, x, axes, 0, DType.F64, keep=keep)
    return elementwise(lambda t: t / count if count else t / 0.0, [wide], DType.F64)


@LOWERINGS("sum")
def _sum(op: Op, x: Dense) -> Dense:
    return total(x, axes_of(op, x), keep=op.keep_dim).cast(x.dtype)  # pyright: ignore[reportAttributeAccessIssue]


@LOWERINGS("mean")
def _mean(op: Op, x: Dense) -> Dense:
    return mean_of(x, axes_of(op, x), keep=op.keep_dim).cast(x.dtype)  # pyright: ignore[reportAttributeAccessIssue]


@LOWERINGS("prod")
def _prod(op: Op, x: Dense) -> Dense:
    keep = op.keep_dim  # pyright: ignore[reportAttributeAccessIssue]
    found = reduce(lambda so_far, e: so_far * e, x, axes_of(op, x), 1, accumulator(x.dtype), keep=keep)
    return found.cast(x.dtype)


@LOWERINGS("max", "min")
def _extreme(op: Op, x: Dense) -> Dense:
    keep = op.keep_dim  # pyright: ignore[reportAttributeAccessIssue]
    wide = x.wide()
    low, high = limits(wide.dtype)
    body, start = (maximum, low) if op.mnemonic == "max" else (minimum, high)
    return reduce(body, wide, axes_of(op, x), start, wide.dtype, keep=keep).cast(x.dtype)


@LOWERINGS("reduce_and", "reduce_or")
def _truths(op: Op, x: Dense) -> Dense:
    keep = op.keep_dim  # pyright: ignore[reportAttributeAccessIssue]
    truths = elementwise(truth, [x], DType.I1)
    both = op.mnemonic == "reduce_and"

    def body(so_far: Scalar, e: Scalar) -> Scalar:
        return so_far & e if both else so_far | e

    return reduce(body, truths, axes_of(op, x), both, DType.I1, keep=keep).cast(op.results[0].dtype)


@LOWERINGS("argmax")
def _argmax(op: Op, x: Dense) -> Dense:
    axes = axes_of(op, x)
    kept = [i for i in range(x.rank) if i not in axes]
    rows = x.transpose([*kept, *axes]).reshape(*(x.shape[i] for i in kept), -1).wide()

    def body(states: list[Scalar], elements: list[Scalar], at: ir.Value) -> list[Scalar]:
        (best, place), (e,) = states, elements
        here = number_of(at)
        better = (e > best) | compare("eq", place, -1)
        if e.is_float:
            better = (better & ~is_nan(best)) | (is_nan(e) & ~is_nan(best)) | compare("eq", place, -1)
        return [select(better, e, best), select(better, here, place)]

    _, found = fold(body, [rows], len(kept), [limits(rows.dtype)[0], -1], [rows.dtype, DType.I64])
    return found.reshape(*op.results[0].shape).cast(op.results[0].dtype)


@LOWERINGS("cumsum", "cumprod")
def _scan(op: Op, x: Dense) -> Dense:
    axis = op.dim % x.rank  # pyright: ignore[reportAttributeAccessIssue]
    return scan(x, axis, adds=op.mnemonic == "cumsum").cast(x.dtype)


def scan(x: Dense, axis: int, *, adds: bool) -> Dense:
    """Return the running sum, or product, along an axis in the accumulator's type."""

    def body(states: list[Scalar], elements: list[Scalar], _: ir.Value) -> list[Scalar]:
        so_far, e = states[0], states[0].like(elements[0])
        return [so_far + e if adds else so_far * e]

    (found,) = fold(body, [x], axis, [0 if adds else 1], [accumulator(x.dtype)], every=True)
    return found


def softmax_of(x: Dense, axis: int) -> Dense:
    """Return `exp(x - max) / sum` along an axis of reals."""
    top = reduce(maximum, x, [axis], -np.inf, x.dtype, keep=True)
    powers = elementwise(lambda e, m: formulas.exp(e - m), [x, top], x.dtype)
    scale = elementwise(lambda t: 1 / t, [total(powers, [axis], keep=True)], DType.F64).cast(x.dtype)
    return elementwise(lambda e, s: e * s, [powers, scale], x.dtype)


@LOWERINGS("softmax")
def _softmax(op: Op, x: Dense, mask: Dense | None = None) -> Dense:
    axis, wide = op.dimension % x.rank, x.wide()  # pyright: ignore[reportAttributeAccessIssue]
    scores = wide if mask is None else elementwise(lambda e, m: e + m, [wide, mask.wide()], wide.dtype)
    return softmax_of(scores, axis).cast(x.dtype)
