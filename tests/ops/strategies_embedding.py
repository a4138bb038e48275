"""What can be drawn for lookups in tables."""

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import LEAD, REALS, SIDE, Draw, for_ops, tensors
from ttstack.ops import embedding
from ttstack.ops.types import DType, TensorType


@for_ops(embedding.Embedding)
def _embedding(draw: Draw, mnemonic: str) -> Case:
    rows, width = draw(SIDE), draw(SIDE)
    index = draw(tensors((DType.I32, DType.UI32, DType.I64), most=3))
    table = TensorType((*[1] * draw(st.integers(0, 2)), rows, width), draw(st.sampled_from(REALS)))
    attributes = {"shape": draw(st.sampled_from(((index.size,), (*index.shape, 1))))} if draw(st.booleans()) else {}
    return Case(mnemonic, (index, table), attributes, bounds={0: rows})


@for_ops(embedding.EmbeddingBag)
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
