"""What can be drawn for each op: valid operand types and attributes, one strategy a family."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.ops.case import Case
from ttstack.ops import (
    OPS,
    Op,
    attention,
    collective,
    creation,
    distributed,
    eltwise,
    embedding,
    indexing,
    matmul,
    mesh,
    normalization,
    reduction,
    rotary,
    shape,
)
from ttstack.ops.types import DType, TensorType

Draw = Callable[[st.SearchStrategy[Any]], Any]

REALS = (DType.F32, DType.BF16, DType.F16, DType.F64)
INTEGERS = (DType.I32, DType.UI8, DType.UI16, DType.UI32, DType.I64, DType.SI32)
NUMBERS = (*REALS, *INTEGERS)
LEAD = st.integers(1, 3)
SIDE = st.sampled_from((1, 2, 5, 31, 32, 33, 64))
F32 = st.sampled_from((0.0, 0.25, 1.0, -2.5, 1e-5, 3.0e38)).map(lambda x: float(np.float32(x)))

_MAKERS: dict[type[Op], Callable[[Draw, str], Case]] = {}


def cases(mnemonic: str) -> st.SearchStrategy[Case]:
    """Cases of an op: those of the nearest class above it that has a strategy."""
    maker = next((_MAKERS[c] for c in OPS[mnemonic].__mro__ if c in _MAKERS), None)
    if maker is None:
        pytest.fail(
            f"nothing draws '{mnemonic}': add a maker of its cases to tests/ops/strategies.py, or to one beside it"
        )
    return st.composite(lambda draw: maker(draw, mnemonic))()


def has_cases(mnemonic: str) -> bool:
    return any(c in _MAKERS for c in OPS[mnemonic].__mro__)


def shapes(least: int = 0, most: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes whose last two dimensions are about a tile wide and whose others are small."""

    def of(rank: int) -> st.SearchStrategy[tuple[int, ...]]:
        return st.tuples(*[LEAD] * max(rank - 2, 0), *[SIDE] * min(rank, 2))

    return st.integers(least, most).flatmap(of)


def tensors(dtypes: Sequence[DType] = NUMBERS, least: int = 0, most: int = 4) -> st.SearchStrategy[TensorType]:
    return st.builds(TensorType, shapes(least, most), st.sampled_from(dtypes))


def _for(*bases: type[Op]) -> Callable[[Callable[[Draw, str], Case]], Callable[[Draw, str], Case]]:
    def register(maker: Callable[[Draw, str], Case]) -> Callable[[Draw, str], Case]:
        _MAKERS.update(dict.fromkeys(bases, maker))
        return maker

    return register


def _spread(draw: Draw, out: Sequence[int]) -> tuple[int, ...]:
    """A shape that broadcasts to `out`."""
    kept = [e if draw(st.booleans()) else 1 for e in out]
    return tuple(kept[draw(st.integers(0, len(kept))) :])


def _axis(draw: Draw, rank: int) -> int:
    return draw(st.integers(-rank, rank - 1)) if rank else draw(st.sampled_from((0,)))


def _subset(draw: Draw, rank: int) -> tuple[int, ...]:
    return tuple(draw(st.lists(st.integers(0, rank - 1), unique=True))) if rank else ()


_NUMBERS_OF: dict[str, tuple[DType, ...]] = {
    **dict.fromkeys((m for m in OPS if "bitwise" in m or "shift" in m), INTEGERS),
    **dict.fromkeys(("abs", "neg", "relu", "sign", "square", "ceil", "floor", "trunc"), NUMBERS),
    **dict.fromkeys(("add", "subtract", "multiply", "maximum", "minimum", "div", "remainder"), NUMBERS),
    **dict.fromkeys((m for m in OPS if "logical" in m and "shift" not in m), (*NUMBERS, DType.I1)),
    **dict.fromkeys(("eq", "ne", "ge", "gt", "le", "lt", "isfinite"), NUMBERS),
}


def _dtype(draw: Draw, mnemonic: str) -> DType:
    return draw(st.sampled_from(_NUMBERS_OF.get(mnemonic, REALS)))


def _eltwise_attributes(draw: Draw, spec: type[Op]) -> dict[str, Any]:
    values: dict[str, st.SearchStrategy[Any]] = {
        "parameter": F32,
        "scale": F32,
        "alpha": F32,
        "min": st.one_of(F32, st.integers(-3, 0)),
        "max": st.one_of(F32, st.integers(1, 3)),
        "approximate": st.sampled_from(("none", "tanh")),
        "conservative_folding": st.booleans(),
    }
    return {n: draw(values[n]) for n, a in spec.attribute_specs().items() if a.required or draw(st.booleans())}


@_for(eltwise.Eltwise)
def _eltwise(draw: Draw, mnemonic: str) -> Case:
    spec, out, dtype = OPS[mnemonic], draw(shapes()), _dtype(draw, mnemonic)
    count = len(spec.operand_specs())
    operands = [TensorType(out, dtype)] + [TensorType(_spread(draw, out), dtype) for _ in range(count - 1)]
    attributes = _eltwise_attributes(draw, spec)
    return Case(mnemonic, tuple(draw(st.permutations(operands))), attributes)


@_for(eltwise.Predicate, eltwise.EltwiseComparison)
def _test(draw: Draw, mnemonic: str) -> Case:
    case = _eltwise(draw, mnemonic)
    dtype = draw(st.sampled_from((DType.I1, DType.BF16, DType.I32, case.present[0].dtype)))
    shape = max((t.shape for t in case.present), key=lambda s: (math.prod(s), len(s)))
    out = TensorType(np.broadcast_shapes(shape, *(t.shape for t in case.present)), dtype)
    return Case(mnemonic, case.operands, case.attributes, out)


@_for(eltwise.BitcastConvert)
def _bitcast(draw: Draw, mnemonic: str) -> Case:
    pairs = ((DType.F32, DType.I32), (DType.BF16, DType.UI16), (DType.UI32, DType.F32), (DType.I64, DType.F64))
    source, target = draw(st.sampled_from(pairs))
    extents = draw(shapes())
    return Case(mnemonic, (TensorType(extents, source),), {}, TensorType(extents, target))


@_for(eltwise.Where)
def _where(draw: Draw, mnemonic: str) -> Case:
    case = _eltwise(draw, mnemonic)
    condition = draw(st.sampled_from((DType.I1, DType.BF16, DType.I32)))
    first, *rest = case.present
    return Case(mnemonic, (first.with_dtype(condition), *rest))


@_for(creation.Creation)
def _creation(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((*NUMBERS, DType.I1)))
    attributes: dict[str, Any] = {} if mnemonic == "empty" else {"shape": t.shape}
    if mnemonic == "full":
        attributes["fill_value"] = draw(st.integers(0, 1) if t.dtype is DType.I1 else st.one_of(F32, st.integers(0, 9)))
        if not t.dtype.is_float:
            attributes["fill_value"] = int(draw(st.integers(0, 1)))
    return Case(mnemonic, (), attributes, t)


@_for(creation.Constant)
def _constant(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((*NUMBERS, DType.I1), most=3))
    values = np.arange(t.size).reshape(t.shape) % (1 if draw(st.booleans()) else 7)
    return Case(mnemonic, (), {"value": np.asarray(values).astype(t.dtype.numpy)}, t)


@_for(creation.Arange)
def _arange(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.BF16, DType.I32, DType.UI32, DType.I64), least=1))
    at, step, start = _axis(draw, t.rank), draw(st.integers(1, 3)), draw(st.integers(0, 4))
    end = start + step * t.shape[at] - draw(st.integers(0, step - 1))
    attributes = {"start": start, "end": end, "step": step, "arange_dimension": at}
    return Case(mnemonic, (), attributes, t)


@_for(reduction.Reduction)
def _reduction(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.BF16, DType.I32) if mnemonic != "mean" else REALS))
    attributes: dict[str, Any] = {"keep_dim": draw(st.booleans())}
    if draw(st.booleans()):
        attributes["dim_arg"] = _subset(draw, t.rank)
    return Case(mnemonic, (t,), attributes)


@_for(reduction.Argmax)
def _argmax(draw: Draw, mnemonic: str) -> Case:
    t, keep = draw(tensors(REALS)), draw(st.booleans())
    attributes: dict[str, Any] = {"keep_dim": keep}
    dims = range(t.rank)
    if t.rank and draw(st.booleans()):
        dims = [_axis(draw, t.rank)]
        attributes["dim_arg"] = tuple(dims)
    gone = {d % max(t.rank, 1) for d in dims}
    kept = [1 if i in gone else e for i, e in enumerate(t.shape) if keep or i not in gone]
    return Case(mnemonic, (t,), attributes, TensorType(tuple(kept), draw(st.sampled_from((DType.I32, DType.UI32)))))


@_for(reduction.Scan)
def _scan(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.BF16, DType.I32), least=1))
    return Case(mnemonic, (t,), {"dim": _axis(draw, t.rank)})


@_for(reduction.Softmax)
def _softmax(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=1))
    return Case(mnemonic, (t,), {"dimension": _axis(draw, t.rank), "numericStable": draw(st.booleans())})


@_for(shape.Reshape)
def _reshape(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    mixed = list(draw(st.permutations(t.shape)))
    joined = [math.prod(mixed[:2]), *mixed[2:]] if mixed and draw(st.booleans()) else mixed
    return Case(mnemonic, (t,), {"shape": tuple(joined + [1] * draw(st.integers(0, 1)))})


@_for(shape.Squeeze)
def _squeeze(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(most=3))
    at = draw(st.integers(0, t.rank))
    dim = draw(st.sampled_from((at, at - t.rank - 1)))
    return Case(mnemonic, (t.with_shape((*t.shape[:at], 1, *t.shape[at:])),), {"dim": dim})


@_for(shape.Unsqueeze)
def _unsqueeze(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t,), {"dim": _axis(draw, t.rank + 1)})


@_for(shape.Permute)
def _permute(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t,), {"permutation": tuple(draw(st.permutations(range(t.rank))))})


@_for(shape.Transpose)
def _transpose(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    return Case(mnemonic, (t,), {"dim0": _axis(draw, t.rank), "dim1": _axis(draw, t.rank)})


@_for(shape.Concat)
def _concat(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1, most=3))
    dim = _axis(draw, t.rank)
    at = dim % t.rank
    extents = draw(st.lists(st.sampled_from((1, 3, 32)), min_size=1, max_size=4))
    inputs = tuple(t.with_shape((*t.shape[:at], e, *t.shape[at + 1 :])) for e in extents)
    return Case(mnemonic, inputs, {"dim": dim})


def _bounds(draw: Draw, extent: int) -> tuple[int, int, int]:
    """Up, or down, in which case the first element is left out."""
    begin = draw(st.integers(0, extent - 1))
    down = draw(st.booleans())
    end = draw(st.integers(0, begin)) if down else draw(st.integers(begin + 1, extent))
    step = draw(st.integers(1, 3)) * (-1 if down else 1)
    return (begin - extent if draw(st.booleans()) else begin), end, step


@_for(indexing.SliceStatic)
def _slice(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    bounds = [_bounds(draw, e) for e in t.shape]
    names = ("begins", "ends", "step")
    return Case(mnemonic, (t,), {n: tuple(b[i] for b in bounds) for i, n in enumerate(names)})


@_for(indexing.Index)
def _index(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    dim = draw(st.integers(0, t.rank - 1))
    begin, end, step = _bounds(draw, t.shape[dim])
    return Case(mnemonic, (t,), {"dim": dim, "begin": begin, "end": end, "step": step})


@_for(shape.Broadcast)
def _broadcast(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    factors = tuple(draw(st.sampled_from((1, 2, 40))) if e == 1 else 1 for e in t.shape)
    return Case(mnemonic, (t,), {"broadcast_dimensions": factors})


@_for(shape.Repeat)
def _repeat(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t,), {"repeat_dimensions": tuple(draw(LEAD) for _ in t.shape)})


@_for(shape.Pad)
def _pad(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    padding = tuple(draw(st.sampled_from((0, 1, 30, *((-1, -2) if e > 3 else ())))) for e in t.shape for _ in range(2))
    return Case(mnemonic, (t,), {"padding": padding, "value": draw(F32) if t.dtype.is_float else 1.0})


@_for(shape.Reverse)
def _reverse(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t,), {"dimensions": _subset(draw, t.rank)})


@_for(indexing.Gather)
def _gather(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1, most=3))
    at = draw(st.integers(0, t.rank - 1))
    picked = tuple(draw(SIDE) if d == at else draw(st.integers(1, e)) for d, e in enumerate(t.shape))
    index = TensorType(picked, draw(st.sampled_from((DType.I32, DType.UI32, DType.I64))))
    return Case(mnemonic, (t, index), {"dim": at}, bounds={1: t.shape[at]})


@_for(matmul.Matmul)
def _matmul(draw: Draw, mnemonic: str) -> Case:
    dtype, batch = draw(st.sampled_from(REALS)), draw(st.lists(LEAD, max_size=2))
    m, n, k = draw(SIDE), draw(SIDE), draw(SIDE)
    turns = {name: draw(st.booleans()) for name in ("transpose_a", "transpose_b")}
    a = TensorType((*_spread(draw, batch), *((k, m) if turns["transpose_a"] else (m, k))), dtype)
    b = TensorType((*_spread(draw, batch), *((n, k) if turns["transpose_b"] else (k, n))), dtype)
    attributes = turns | ({"activation": "relu"} if draw(st.booleans()) else {})
    if mnemonic != "linear":
        return Case(mnemonic, (a, b), attributes)
    out = OPS["matmul"].on([a, b], attributes).results[0]
    larger = draw(st.booleans())
    extents = (
        (draw(LEAD), *(e if draw(st.booleans()) else 1 for e in out.shape)) if larger else _spread(draw, out.shape)
    )
    bias = TensorType(extents, dtype) if draw(st.booleans()) else None
    return Case(mnemonic, (a, b, bias), attributes)


@_for(matmul.DotGeneral)
def _dot_general(draw: Draw, mnemonic: str) -> Case:
    dtype = draw(st.sampled_from((DType.F32, DType.BF16)))
    batch, inner, left, right = (draw(st.lists(st.sampled_from((1, 2, 5, 33)), max_size=n)) for n in (1, 2, 1, 1))
    kinds = ["b"] * len(batch) + ["k"] * len(inner)
    sides, dims = [], {}
    for name, free in (("lhs", left), ("rhs", right)):
        order = draw(st.permutations(range(len(kinds) + len(free))))
        extents = [*batch, *inner, *free]
        sides.append(TensorType(tuple(extents[i] for i in order), dtype))
        places = [order.index(i) for i in range(len(kinds))]
        dims[f"batch_dims_{name}"] = tuple(places[: len(batch)])
        dims[f"contract_dims_{name}"] = tuple(places[len(batch) :])
    return Case(mnemonic, tuple(sides), dims)


@_for(normalization.TrailingNorm)
def _norm(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=1))
    tail = t.shape[-draw(st.integers(1, t.rank)) :]
    weights = [t.with_shape(tail) if draw(st.booleans()) else None for _ in range(2)]
    attributes: dict[str, Any] = {"normalized_shape": tail}
    if draw(st.booleans()):
        attributes["epsilon"] = float(np.float32(1e-6))
    return Case(mnemonic, (t, *weights), attributes)


@_for(normalization.BatchNormInference)
def _batch_norm(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=2))
    dim = draw(st.integers(0, t.rank - 1))
    attributes = {"epsilon": 0.5, "dimension": dim}
    return Case(mnemonic, (t, *per_channel(draw, t, dim)), attributes)


def per_channel(draw: Draw, t: TensorType, dim: int) -> list[TensorType]:
    """Four parameters with a value for each index of a dimension, with extents of 1 around it or without."""
    spread = tuple(e if d == dim else 1 for d, e in enumerate(t.shape))
    return [t.with_shape(spread if draw(st.booleans()) else (t.shape[dim],)) for _ in range(4)]


@_for(embedding.Embedding)
def _embedding(draw: Draw, mnemonic: str) -> Case:
    rows, width = draw(SIDE), draw(SIDE)
    index = draw(tensors((DType.I32, DType.UI32, DType.I64), most=3))
    table = TensorType((*[1] * draw(st.integers(0, 2)), rows, width), draw(st.sampled_from(REALS)))
    attributes = {"shape": draw(st.sampled_from(((index.size,), (*index.shape, 1))))} if draw(st.booleans()) else {}
    return Case(mnemonic, (index, table), attributes, bounds={0: rows})


@_for(embedding.EmbeddingBag)
def _embedding_bag(draw: Draw, mnemonic: str) -> Case:
    rows, width, bags, dtype = draw(SIDE), draw(SIDE), draw(SIDE), draw(st.sampled_from(REALS))
    mode, flat = draw(st.sampled_from(("sum", "mean", "max"))), draw(st.booleans())
    index = TensorType((draw(st.sampled_from((1, 7, 64))),) if flat else (bags, draw(LEAD)), DType.I32)
    last = flat and draw(st.booleans())
    offsets = TensorType((bags + last,), DType.I32) if flat else None
    weights = TensorType(index.shape, dtype) if mode == "sum" and draw(st.booleans()) else None
    attributes = {"mode": mode, "include_last_offset": last, "padding_idx": draw(st.integers(-1, rows - 1))}
    operands = (index, TensorType((rows, width), dtype), offsets, weights)
    return Case(mnemonic, operands, attributes, None, {0: rows, 2: index.size}, frozenset({2}))


@_for(attention.ScaledDotProductAttention)
def _attention(draw: Draw, mnemonic: str) -> Case:
    dtype = draw(st.sampled_from(REALS))
    b, kv, groups, sq, sk, d, dv = (draw(x) for x in (LEAD, LEAD, LEAD, SIDE, SIDE, SIDE, SIDE))
    heads = kv * groups
    causal = draw(st.booleans())
    mask = None if causal or draw(st.booleans()) else (draw(st.sampled_from((1, b))), 1, sq, sk)
    attributes: dict[str, Any] = {"is_causal": causal}
    if draw(st.booleans()):
        attributes["scale"] = 0.25
    if draw(st.booleans()):
        attributes["sliding_window_size"] = draw(st.integers(1, 40))
    sink = (1, heads, 1, 1) if draw(st.booleans()) else None
    shapes_ = ((b, heads, sq, d), (b, kv, sk, d), (b, kv, sk, dv), mask, sink)
    return Case(mnemonic, tuple(None if s is None else TensorType(s, dtype) for s in shapes_), attributes)


@_for(rotary.RotaryEmbedding)
def _rotary(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=1))
    t = t.with_shape((*t.shape[:-1], 2 * t.shape[-1]))
    tables = (t.with_shape((*_spread(draw, t.shape[:-1]), t.shape[-1])) for _ in range(2))
    return Case(mnemonic, (t, *tables), {"interleaved": draw(st.booleans())})


@_for(attention.ConcatenateHeads)
def _concatenate_heads(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (draw(tensors(REALS, least=4)),))


@_for(attention.SplitHeads)
def _split_heads(draw: Draw, mnemonic: str) -> Case:
    b, s, heads, d = draw(LEAD), draw(SIDE), draw(LEAD), draw(SIDE)
    return Case(mnemonic, (TensorType((b, s, heads * d), draw(st.sampled_from(REALS))),), {"num_heads": heads})


@_for(attention.SplitQueryKeyValueAndSplitHeads)
def _split_all_heads(draw: Draw, mnemonic: str) -> Case:
    b, s, heads, kv, d = draw(LEAD), draw(SIDE), draw(LEAD), draw(LEAD), draw(SIDE)
    dtype, apart = draw(st.sampled_from(REALS)), draw(st.booleans())
    attributes = {"num_heads": heads, "num_kv_heads": kv, "transpose_key": draw(st.booleans())}
    width = heads * d if apart else (heads + 2 * kv) * d
    other = TensorType((b, draw(SIDE), 2 * kv * d), dtype) if apart else None
    return Case(mnemonic, (TensorType((b, s, width), dtype), other), attributes)


ONE_DEVICE = ((0,),)
"""Groups of a mesh of one device, on which every op that spans a mesh can run."""


@_for(collective.Resized)
def _resized(draw: Draw, mnemonic: str) -> Case:
    spec = OPS[mnemonic]
    t = draw(tensors(least=1))
    attributes: dict[str, Any] = {getattr(spec, "dim_name"): _axis(draw, t.rank)}  # noqa: B009 of its subclasses
    if spec.attribute_specs()["cluster_axis"].required or draw(st.booleans()):
        attributes["cluster_axis"] = draw(st.integers(0, 1))
    if "reduce_type" in spec.attribute_specs():
        attributes["reduce_type"] = draw(st.sampled_from(tuple(collective.REDUCTIONS)))
    return Case(mnemonic, (t,), attributes, t)


@_for(collective.AllReduction)
def _all_reduction(draw: Draw, mnemonic: str) -> Case:
    kind = draw(st.sampled_from(tuple(collective.REDUCTIONS)))
    return Case(mnemonic, (draw(tensors()),), {"cluster_axis": draw(st.integers(0, 1)), "reduce_type": kind})


@_for(collective.CollectivePermute)
def _permutation(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (draw(tensors()),), {"source_target_pairs": draw(st.sampled_from(((), ((0, 0),))))})


@_for(collective.CollectiveBroadcast)
def _collective_broadcast(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (draw(tensors()),), {"replica_groups": ONE_DEVICE})


@_for(collective.AllToAll)
def _all_to_all(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    dims = {name: draw(st.integers(0, t.rank - 1)) for name in ("split_dim", "concat_dim")}
    return Case(mnemonic, (t,), dims | {"split_count": 1, "replica_groups": ONE_DEVICE})


@_for(mesh.MeshShard)
def _mesh_shard(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    attributes = {
        "shard_type": draw(st.sampled_from(mesh.MeshShard.TYPES)),
        "shard_direction": draw(st.sampled_from(mesh.MeshShard.DIRECTIONS)),
        "shard_shape": (1,) * t.rank,
        "shard_dims": tuple(draw(st.integers(-1, t.rank - 1)) for _ in range(draw(st.integers(1, 2)))),
    }
    return Case(mnemonic, (t,), attributes)


@_for(distributed.DistributedNorm)
def _distributed_norm(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=1))
    places = [t.with_shape(t.shape[-1:])] * (len(OPS[mnemonic].operand_specs()) - 2) + [t]
    return Case(
        mnemonic,
        (t, *[p if draw(st.booleans()) else None for p in places]),
        {"cluster_axis": draw(st.integers(0, 1))},
    )


for_ops, axis_of, spread = _for, _axis, _spread

# Strategies of other families register themselves.
from tests.ops import (  # noqa: E402
    strategies_cache,  # noqa: F401
    strategies_experts,  # noqa: F401
    strategies_indexing,  # noqa: F401
    strategies_tensor_train,  # noqa: F401
    strategies_training,  # noqa: F401
    strategies_windows,  # noqa: F401
)
