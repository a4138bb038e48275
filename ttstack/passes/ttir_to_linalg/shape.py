"""Data movement: views if `tensor` has them, otherwise copies by loops."""

from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.einops import rearrangement
from ttstack.ops.shape import (
    Broadcast,
    Concat,
    Pad,
    Permute,
    Rearrange,
    Repeat,
    RepeatInterleave,
    Reverse,
    Transpose,
)
from ttstack.passes.ttir_to_linalg.movement import concat, scale_and_add
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, full, generate

LOWERINGS = LoweringTable()


@LOWERINGS("reshape", "squeeze", "unsqueeze")
def _reshape(op: Op, x: Dense) -> Dense:
    return x.reshape(*op.results[0].shape)


@LOWERINGS("transpose")
def _transpose(op: Transpose, x: Dense) -> Dense:
    order = list(range(x.rank))
    a, b = op.dim0 % x.rank, op.dim1 % x.rank
    order[a], order[b] = order[b], order[a]
    return x.transpose(order)


@LOWERINGS("permute")
def _permute(op: Permute, x: Dense) -> Dense:
    return x.transpose([d % x.rank for d in op.permutation])


@LOWERINGS("rearrange")
def _rearrange(op: Rearrange, x: Dense) -> Dense:
    steps = rearrangement(op.pattern, x.shape)
    return x.reshape(*steps.split).transpose(steps.permutation).reshape(*steps.merged)


@LOWERINGS("concat")
def _concat(op: Concat, *inputs: Dense) -> Dense:
    return concat(inputs, op.dim % inputs[0].rank)


@LOWERINGS("broadcast")
def _broadcast(op: Broadcast, x: Dense) -> Dense:
    shape = op.results[0].shape
    if all(n in (1, m) for n, m in zip(x.shape, shape, strict=True)):
        return x.broadcast(shape)
    return _tile(x, op.broadcast_dimensions)


@LOWERINGS("repeat")
def _repeat(op: Repeat, x: Dense) -> Dense:
    return _tile(x, op.repeat_dimensions)


@LOWERINGS("repeat_interleave")
def _repeat_interleave(op: RepeatInterleave, x: Dense) -> Dense:
    axis = op.dim % x.rank
    return _spread(x, {axis + 1: op.repeats}).reshape(*op.results[0].shape)


def _tile(x: Dense, factors: tuple[int, ...]) -> Dense:
    """Repeat the full tensor along each axis."""
    more = (1,) * (len(factors) - x.rank)
    whole = x.reshape(*more, *x.shape)
    factors = (1,) * (whole.rank - len(factors)) + tuple(factors)
    spread = _spread(whole, {axis: factor for axis, factor in enumerate(factors) if factor != 1})
    return spread.reshape(*(n * f for n, f in zip(whole.shape, factors, strict=True)))


def _spread(x: Dense, new: dict[int, int]) -> Dense:
    """Broadcast along new axes before the named axes of `x`."""
    ones, shape = list[int](), list[int]()
    for axis in range(x.rank + 1):
        if axis in new:
            ones.append(1)
            shape.append(new[axis])
        if axis < x.rank:
            ones.append(x.shape[axis])
            shape.append(x.shape[axis])
    return x.reshape(*ones).broadcast(shape)


@LOWERINGS("pad")
def _pad(op: Pad, x: Dense) -> Dense:
    low, high = op.padding[::2], op.padding[1::2]
    begins = [max(-n, 0) for n in low]
    sizes = [n - max(-lo, 0) - max(-hi, 0) for n, lo, hi in zip(x.shape, low, high, strict=True)]
    inner = x.slice(begins, sizes)
    if inner.shape == op.results[0].shape:
        return inner
    return full(op.results[0].shape, op.value, x.dtype).put(inner, [max(n, 0) for n in low])


@LOWERINGS("reverse")
def _reverse(op: Reverse, x: Dense) -> Dense:
    turned = {d % x.rank for d in op.dimensions}

    def at(indices: list[ir.Value]):
        last = [scale_and_add(i, -1, n - 1) for i, n in zip(indices, x.shape, strict=True)]
        return x.at([last[d] if d in turned else indices[d] for d in range(x.rank)])

    return generate(at, x.shape, x.dtype)
