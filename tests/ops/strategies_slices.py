"""What can be drawn for parts of a tensor: slices and gathers."""

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import SIDE, Draw, for_ops, tensors
from ttstack.ops import indexing
from ttstack.ops.types import DType, TensorType


def _bounds(draw: Draw, extent: int) -> tuple[int, int, int]:
    """Up, or down, in which case the first element is left out."""
    begin = draw(st.integers(0, extent - 1))
    down = draw(st.booleans())
    end = draw(st.integers(0, begin)) if down else draw(st.integers(begin + 1, extent))
    step = draw(st.integers(1, 3)) * (-1 if down else 1)
    return (begin - extent if draw(st.booleans()) else begin), end, step


@for_ops(indexing.SliceStatic)
def _slice(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    bounds = [_bounds(draw, e) for e in t.shape]
    names = ("begins", "ends", "step")
    return Case(mnemonic, (t,), {n: tuple(b[i] for b in bounds) for i, n in enumerate(names)})


@for_ops(indexing.Index)
def _index(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    dim = draw(st.integers(0, t.rank - 1))
    begin, end, step = _bounds(draw, t.shape[dim])
    return Case(mnemonic, (t,), {"dim": dim, "begin": begin, "end": end, "step": step})


@for_ops(indexing.Gather)
def _gather(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1, most=3))
    at = draw(st.integers(0, t.rank - 1))
    picked = tuple(draw(SIDE) if d == at else draw(st.integers(1, e)) for d, e in enumerate(t.shape))
    index = TensorType(picked, draw(st.sampled_from((DType.I32, DType.UI32, DType.I64))))
    return Case(mnemonic, (t, index), {"dim": at}, bounds={1: t.shape[at]})
