"""What can be drawn for attention, rotary embeddings and heads."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import LEAD, REALS, SIDE, Draw, for_ops, spread, tensors
from ttstack.ops import attention, block_sparse, linear_bias, rotary
from ttstack.ops.block_sparse import block_flags
from ttstack.ops.mask_rows import MaskRows, read_structure
from ttstack.ops.types import TILE, DType, TensorType


@for_ops(attention.ScaledDotProductAttention)
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


@for_ops(block_sparse.BlockSparseAttention)
def _block_sparse(draw: Draw, mnemonic: str) -> Case:
    dtype = draw(st.sampled_from(REALS))
    b, kv, groups, s, d, dv = (draw(x) for x in (LEAD, LEAD, LEAD, SIDE, SIDE, SIDE))
    heads, causal = kv * groups, draw(st.booleans())
    rng, at = np.random.default_rng(draw(st.integers(0, 99))), np.arange(s)
    of = np.sort(rng.integers(0, 4, s))
    seen = (of[:, None] == of) & ((at <= at[:, None]) | (not causal))
    structure = read_structure((1, 1, s, s), [MaskRows(seen[None, None], at)], far=1.0)
    masks: tuple[TensorType | None, ...]
    if structure.documents is not None and draw(st.booleans()):
        bounds, causal = structure.documents
        masks = (None, TensorType((len(bounds),), DType.I32), None)
    else:
        lead = (draw(st.sampled_from((1, b))), draw(st.sampled_from((1, heads))))
        rows = MaskRows(rng.random((*lead, s, s)) < 0.1, at)
        structure, causal = read_structure((*lead, s, s), [rows], far=1.0), False
        flags = block_flags(structure, (draw(st.integers(1, 2)), draw(st.integers(1, 2))))
        masks = (TensorType((*lead, s, s), dtype), None, TensorType(flags.shape, DType.I32))
    sink = TensorType((1, heads, 1, 1), dtype) if draw(st.booleans()) else None
    shapes_ = ((b, heads, s, d), (b, kv, s, d), (b, kv, s, dv))
    types = (*(TensorType(shape, dtype) for shape in shapes_), masks[0], sink, *masks[1:])
    return Case(mnemonic, types, {"is_causal": causal, "mask_structure": str(structure)})


@for_ops(linear_bias.LinearBiasAttention)
def _linear_bias(draw: Draw, mnemonic: str) -> Case:
    dtype, causal = draw(st.sampled_from(REALS)), draw(st.booleans())
    b, kv, groups, sq, sk, d, dv = (draw(x) for x in (LEAD, LEAD, LEAD, SIDE, SIDE, SIDE, SIDE))
    heads, sk = kv * groups, sq if causal else sk
    slopes = np.random.default_rng(draw(st.integers(0, 99))).standard_normal(heads)
    sink = (1, heads, 1, 1) if draw(st.booleans()) else None
    columns = (1, heads, sq, linear_bias.COLUMNS), (1, kv, sk, linear_bias.COLUMNS)
    shapes_ = ((b, heads, sq, d), (b, kv, sk, d), (b, kv, sk, dv), None, sink, *columns)
    attributes = {"is_causal": causal, "slopes": linear_bias.slopes_text(slopes)}
    return Case(mnemonic, tuple(None if s is None else TensorType(s, dtype) for s in shapes_), attributes)


@for_ops(rotary.RotaryEmbedding)
def _rotary(draw: Draw, mnemonic: str) -> Case:
    t, by_matrix = draw(tensors(REALS, least=1)), draw(st.booleans())
    t = t.with_shape((*t.shape[:-1], (TILE if by_matrix else 2) * t.shape[-1]))
    tables = (t.with_shape((*spread(draw, t.shape[:-1]), t.shape[-1])) for _ in range(2))
    matrix = (t.with_shape((1, 1, TILE, TILE)),) if by_matrix else ()
    return Case(mnemonic, (t, *tables, *matrix), {"interleaved": by_matrix or draw(st.booleans())})


@for_ops(attention.ConcatenateHeads)
def _concatenate_heads(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (draw(tensors(REALS, least=4)),))


@for_ops(attention.SplitHeads)
def _split_heads(draw: Draw, mnemonic: str) -> Case:
    b, s, heads, d = draw(LEAD), draw(SIDE), draw(LEAD), draw(SIDE)
    return Case(mnemonic, (TensorType((b, s, heads * d), draw(st.sampled_from(REALS))),), {"num_heads": heads})


@for_ops(attention.SplitQueryKeyValueAndSplitHeads)
def _split_all_heads(draw: Draw, mnemonic: str) -> Case:
    b, s, heads, kv, d = draw(LEAD), draw(SIDE), draw(LEAD), draw(LEAD), draw(SIDE)
    dtype, apart = draw(st.sampled_from(REALS)), draw(st.booleans())
    attributes = {"num_heads": heads, "num_kv_heads": kv, "transpose_key": draw(st.booleans())}
    width = heads * d if apart else (heads + 2 * kv) * d
    other = TensorType((b, draw(SIDE), 2 * kv * d), dtype) if apart else None
    return Case(mnemonic, (TensorType((b, s, width), dtype), other), attributes)


@for_ops(attention.ConcatenateHeadsDecode)
def _join_users(draw: Draw, mnemonic: str) -> Case:
    shape = (1, draw(SIDE), draw(LEAD), draw(SIDE))
    return Case(mnemonic, (TensorType(shape, draw(st.sampled_from(REALS))),), {})


@for_ops(attention.SplitQueryKeyValueDecode)
def _split_users(draw: Draw, mnemonic: str) -> Case:
    users, heads, kv, d = draw(SIDE), draw(LEAD), draw(LEAD), draw(SIDE)
    t = TensorType((1, users, (heads + 2 * kv) * d), draw(st.sampled_from(REALS)))
    return Case(mnemonic, (t,), {"num_heads": heads, "num_kv_heads": kv})
