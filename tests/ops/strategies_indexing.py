"""What can be drawn for ops that pick, order and draw elements, and for where the source puts tensors."""

from typing import Any

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import LEAD, NUMBERS, REALS, SIDE, Draw, axis_of, for_ops, shapes, tensors
from ttstack.ops import creation, indexing, memory, shape, sort
from ttstack.ops.types import DType, TensorType

WHOLE = st.sampled_from((DType.I32, DType.UI32, DType.I64, DType.UI16))


@for_ops(shape.Rearrange)
def _rearrange(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    names = [f"d{i}" for i in range(t.rank)]
    order = draw(st.permutations(names))
    cut = draw(st.integers(0, t.rank))
    merged = f"({' '.join(order[:cut])}) " if cut else ""
    return Case(mnemonic, (t,), {"pattern": f"{' '.join(names)} -> {merged}{' '.join(order[cut:])}".strip()})


@for_ops(shape.RepeatInterleave)
def _repeat_interleave(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    return Case(mnemonic, (t,), {"repeats": draw(LEAD), "dim": axis_of(draw, t.rank)})


@for_ops(indexing.SliceDynamic)
def _slice_dynamic(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    length = draw(st.integers(1, min(t.shape)))
    bounds = TensorType((t.rank,), draw(st.sampled_from((DType.I32, DType.UI32))))
    attributes = {"step": (1,) * t.rank} if draw(st.booleans()) else {}
    return Case(mnemonic, (t, bounds, bounds), attributes, t.with_shape((length,) * t.rank), fills={1: 0, 2: length})


@for_ops(indexing.IndexSelect)
def _index_select(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    dim = axis_of(draw, t.rank)
    begin = draw(st.integers(0, t.shape[dim] - 1))
    length = draw(st.integers(1, t.shape[dim] - begin))
    stride = draw(st.one_of(st.just(0), st.integers(length, t.shape[dim])))
    attributes = {"dim": dim, "begin": begin, "length": length, "stride": stride}
    return Case(mnemonic, (t,), attributes)


@for_ops(indexing.Scatter)
def _scatter(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1, most=3))
    at = draw(st.integers(0, t.rank - 1))
    picked = tuple(draw(SIDE) if d == at else draw(st.integers(1, e)) for d, e in enumerate(t.shape))
    source = t.with_shape(tuple(e + draw(st.integers(0, 1)) for e in picked))
    kind = draw(st.sampled_from(indexing.SCATTER_REDUCTIONS))
    attributes = {"dim": at, "scatter_reduce_type": kind}
    return Case(mnemonic, (t, TensorType(picked, draw(WHOLE)), source), attributes, bounds={1: t.shape[at]})


@for_ops(indexing.GetDimensionSize)
def _dimension_size(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    out = TensorType(draw(st.sampled_from(((), (1,)))), draw(st.sampled_from((DType.I32, DType.UI32))))
    return Case(mnemonic, (t,), {"dimension": axis_of(draw, t.rank)}, out)


@for_ops(sort.Ordering)
def _ordering(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((*REALS, DType.I32), least=1))
    dim = axis_of(draw, t.rank)
    flags = ("largest", "sorted") if mnemonic == "topk" else ("descending", "stable")
    attributes: dict[str, Any] = {"dim": dim} | {name: draw(st.booleans()) for name in flags}
    values = t
    if mnemonic == "topk":
        attributes["k"] = draw(st.integers(1, t.shape[dim]))
        at = dim % t.rank
        values = t.with_shape((*t.shape[:at], attributes["k"], *t.shape[at + 1 :]))
    return Case(mnemonic, (t,), attributes, (values, values.with_dtype(draw(WHOLE))))


@for_ops(sort.Sampling)
def _sampling(draw: Draw, mnemonic: str) -> Case:
    rows, candidates, dtype = draw(SIDE), draw(SIDE), draw(st.sampled_from(REALS))
    one = TensorType((rows,), dtype)
    operands = (
        TensorType((rows, candidates), dtype),
        TensorType((rows, candidates), DType.I32),
        TensorType((rows,), DType.UI32),
        one,
        one,
    )
    attributes = {"seed": draw(st.integers(0, 99))} if draw(st.booleans()) else {}
    return Case(mnemonic, operands, attributes, TensorType((rows,), draw(WHOLE)))


@for_ops(creation.Rand)
def _rand(draw: Draw, mnemonic: str) -> Case:
    t = TensorType(draw(shapes()), draw(st.sampled_from(REALS)))
    return Case(mnemonic, (), {"size": t.shape, "low": -1.0, "high": 2.5, "seed": draw(st.integers(0, 99))}, t)


@for_ops(creation.Dropout)
def _dropout(draw: Draw, mnemonic: str) -> Case:
    attributes = {"prob": 0.25, "scale": 2.0, "seed": draw(st.integers(0, 99)), "use_per_device_seed": False}
    return Case(mnemonic, (draw(tensors(REALS)),), attributes)


@for_ops(memory.Alloc)
def _alloc(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(NUMBERS))
    return Case(mnemonic, (), {"address": 1024, "size": t.nbytes, "memory_space": "dram"}, t)


@for_ops(memory.Dealloc, memory.TtnnMetalLayoutCast)
def _passed(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (draw(tensors()),))
