"""Sorting, top-k selection, and sampling."""

import numpy as np

from ttstack.mlir import ir, linalg
from ttstack.ops.sort import Sampling, Sort, Topk
from ttstack.ops.types import DType, storage_of
from ttstack.passes.ttir_to_linalg import formulas
from ttstack.passes.ttir_to_linalg.folds import reduce
from ttstack.passes.ttir_to_linalg.in_order import State, in_order
from ttstack.passes.ttir_to_linalg.indexing import take_along
from ttstack.passes.ttir_to_linalg.movement import index_of, number_of
from ttstack.passes.ttir_to_linalg.reduction import scan, total
from ttstack.passes.ttir_to_linalg.scalars import Scalar, cast, compare, constant, is_nan, maximum, minimum, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, empty, generate, literal

LOWERINGS = LoweringTable()


@LOWERINGS("sort")
def _sort(op: Sort, x: Dense) -> tuple[Dense, Dense]:
    return _ordered(x, op.dim % x.rank, x.shape[op.dim], op.descending, storage_of(op.results[1].dtype))


@LOWERINGS("topk")
def _topk(op: Topk, x: Dense) -> tuple[Dense, Dense]:
    return _ordered(x, op.dim % x.rank, op.k, op.largest, storage_of(op.results[1].dtype))


def _ordered(x: Dense, axis: int, count: int, descending: bool, whole: DType) -> tuple[Dense, Dense]:
    """Return the first `count` sorted values along an axis, and their positions."""
    order = positions(x, axis, descending=descending)
    first = order.slice([0] * x.rank, [count if d == axis else n for d, n in enumerate(x.shape)])
    return take_along(x, first, axis), first.cast(whole)


def positions(x: Dense, axis: int, *, descending: bool) -> Dense:
    """Return the positions that sort the elements along an axis, stably.

    NaN is the largest. Runs of 1, 2, 4, ... elements are merged in pairs.
    """
    turn = [*(d for d in range(x.rank) if d != axis), axis]
    lines = x.transpose(turn)
    rows = lines.reshape(-1, x.shape[axis]).wide()
    order = generate(lambda at: number_of(at[1]), rows.shape, DType.I64)
    width = 1
    while width < rows.shape[1]:
        order = _merge(rows, order, width, descending)
        width *= 2
    return order.reshape(*lines.shape).transpose([turn.index(d) for d in range(x.rank)])


def _merge(rows: Dense, order: Dense, width: int, descending: bool) -> Dense:
    """Merge sorted positions of runs of `width` into runs of twice the width."""
    count = rows.shape[1]

    def step(at: list[ir.Value], states: list[State]) -> list[State]:
        so_far, left, right = states
        assert isinstance(so_far, Dense)
        assert isinstance(left, Scalar)
        assert isinstance(right, Scalar)
        line, place = at[0], number_of(at[1])
        start = place & -2 * width
        middle, end = minimum(start + width, count), minimum(start + 2 * width, count)
        fresh = compare("eq", place, start)
        left, right = select(fresh, start, left), select(fresh, middle, right)
        ours, theirs = (order.at([line, index_of(minimum(i, count - 1))]) for i in (left, right))
        x, y = (rows.at([line, index_of(i)]) for i in (ours, theirs))
        before = _below(x, y) if descending else _below(y, x)
        taken = (right < end) & ((left >= middle) | before)
        after = so_far.replace_element(select(taken, theirs, ours), at)
        return [after, select(taken, left, left + 1), select(taken, right + 1, right)]

    target = Dense(empty(order.shape, DType.I64), order.shape, DType.I64)
    merged, *_ = in_order(step, order.shape, [target, constant(0, DType.I64), constant(0, DType.I64)])
    assert isinstance(merged, Dense)
    return merged


def _below(x: Scalar, y: Scalar) -> Scalar:
    return (x < y) | (is_nan(y) & ~is_nan(x)) if x.is_float else x < y


@LOWERINGS("sampling")
def _sampling(op: Sampling, values: Dense, tokens: Dense, k: Dense, p: Dense, temperature: Dense) -> Dense:
    count, width = values.shape
    order = positions(values, 1, descending=True)
    scores = take_along(values, order, 1).cast(DType.F64)
    best = scores.slice([0, 0], [count, 1])
    heat, most, share = (x.reshape(count, 1) for x in (temperature.cast(DType.F64), k.cast(DType.I64), p))

    def weigh(e: Scalar, top: Scalar, t: Scalar, n: Scalar) -> Scalar:
        asked = select(t > 0, maximum(n, 1), 1)
        power = formulas.exp((e - top) / select(t > 0, t, 1))
        return select(number_of(linalg.IndexOp(1).result) < asked, power, 0)

    weights = elementwise(weigh, [scores, best, heat, most], DType.F64)
    weights = elementwise(lambda e, s: e / s, [weights, total(weights, [1], keep=True)], DType.F64)

    def keep(e: Scalar, so_far: Scalar, s: Scalar) -> Scalar:
        beyond = (so_far - e >= cast(s, DType.F64)) & (number_of(linalg.IndexOp(1).result) > 0)
        return select(beyond, e.like(0), e)

    weights = elementwise(keep, [weights, scan(weights, 1, adds=True), share], DType.F64)
    sums = scan(weights, 1, adds=True)
    draws = literal(np.random.default_rng(op.seed or 0).random((count, 1)), DType.F64)
    last = sums.slice([0, width - 1], [count, 1])
    passed = elementwise(lambda e, d, s: e <= d * s, [sums, draws, last], DType.I1).cast(DType.I64)
    picked = reduce(lambda so_far, e: so_far + e, passed, [1], 0, DType.I64, keep=True)
    picked = elementwise(lambda i: minimum(i, width - 1), [picked], DType.I64)
    found = take_along(tokens, take_along(order, picked, 1), 1)
    return found.reshape(count).cast(storage_of(op.results[0].dtype))
