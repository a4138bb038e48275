"""What can be drawn for ops that change shapes."""

import math

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import F32, LEAD, Draw, axis_of, for_ops, subset, tensors
from ttstack.ops import shape


@for_ops(shape.Reshape)
def _reshape(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    mixed = list(draw(st.permutations(t.shape)))
    joined = [math.prod(mixed[:2]), *mixed[2:]] if mixed and draw(st.booleans()) else mixed
    return Case(mnemonic, (t,), {"shape": tuple(joined + [1] * draw(st.integers(0, 1)))})


@for_ops(shape.Squeeze)
def _squeeze(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(most=3))
    at = draw(st.integers(0, t.rank))
    dim = draw(st.sampled_from((at, at - t.rank - 1)))
    return Case(mnemonic, (t.with_shape((*t.shape[:at], 1, *t.shape[at:])),), {"dim": dim})


@for_ops(shape.Unsqueeze)
def _unsqueeze(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t,), {"dim": axis_of(draw, t.rank + 1)})


@for_ops(shape.Permute)
def _permute(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t,), {"permutation": tuple(draw(st.permutations(range(t.rank))))})


@for_ops(shape.Transpose)
def _transpose(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    return Case(mnemonic, (t,), {"dim0": axis_of(draw, t.rank), "dim1": axis_of(draw, t.rank)})


@for_ops(shape.Concat)
def _concat(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1, most=3))
    dim = axis_of(draw, t.rank)
    at = dim % t.rank
    extents = draw(st.lists(st.sampled_from((1, 3, 32)), min_size=1, max_size=4))
    inputs = tuple(t.with_shape((*t.shape[:at], e, *t.shape[at + 1 :])) for e in extents)
    return Case(mnemonic, inputs, {"dim": dim})


@for_ops(shape.Broadcast)
def _broadcast(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    factors = tuple(draw(st.sampled_from((1, 2, 40))) if e == 1 else 1 for e in t.shape)
    return Case(mnemonic, (t,), {"broadcast_dimensions": factors})


@for_ops(shape.Repeat)
def _repeat(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t,), {"repeat_dimensions": tuple(draw(LEAD) for _ in t.shape)})


@for_ops(shape.Pad)
def _pad(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    padding = tuple(draw(st.sampled_from((0, 1, 30, *((-1, -2) if e > 3 else ())))) for e in t.shape for _ in range(2))
    return Case(mnemonic, (t,), {"padding": padding, "value": draw(F32) if t.dtype.is_float else 1.0})


@for_ops(shape.Reverse)
def _reverse(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t,), {"dimensions": subset(draw, t.rank)})
