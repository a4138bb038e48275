"""What can be drawn for products of matrices."""

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import LEAD, REALS, SIDE, Draw, for_ops, spread
from ttstack.ops import OPS, matmul
from ttstack.ops.types import DType, TensorType


@for_ops(matmul.Matmul)
def _matmul(draw: Draw, mnemonic: str) -> Case:
    dtype, batch = draw(st.sampled_from(REALS)), draw(st.lists(LEAD, max_size=2))
    m, n, k = draw(SIDE), draw(SIDE), draw(SIDE)
    turns = {name: draw(st.booleans()) for name in ("transpose_a", "transpose_b")}
    a = TensorType((*spread(draw, batch), *((k, m) if turns["transpose_a"] else (m, k))), dtype)
    b = TensorType((*spread(draw, batch), *((n, k) if turns["transpose_b"] else (k, n))), dtype)
    attributes = turns | ({"activation": "relu"} if draw(st.booleans()) else {})
    if mnemonic != "linear":
        return Case(mnemonic, (a, b), attributes)
    out = OPS["matmul"].on([a, b], attributes).results[0]
    larger = draw(st.booleans())
    extents = (draw(LEAD), *(e if draw(st.booleans()) else 1 for e in out.shape)) if larger else spread(draw, out.shape)
    bias = TensorType(extents, dtype) if draw(st.booleans()) else None
    return Case(mnemonic, (a, b, bias), attributes)


@for_ops(matmul.DotGeneral)
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
