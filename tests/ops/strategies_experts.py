"""What can be drawn for mixtures of experts, for products of sparse blocks, and for kernels of other people."""

import math

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import LEAD, REALS, SIDE, Draw, for_ops
from ttstack.ops import experts, matmul, moe, opaque, token_exchange
from ttstack.ops.types import DType, TensorType

INDEX = st.sampled_from((DType.I32, DType.I64, DType.UI16))


@for_ops(matmul.SparseMatmul)
def _sparse_matmul(draw: Draw, mnemonic: str) -> Case:
    dtype, count, m, n, k = draw(st.sampled_from(REALS)), draw(LEAD), draw(SIDE), draw(SIDE), draw(SIDE)
    sparse_a, sparse_b = draw(st.sampled_from(((False, True), (True, False), (True, True))))
    lead = (1 if sparse_a and sparse_b else draw(LEAD), count if sparse_a else draw(LEAD))
    entries = math.prod(lead) * (1 if sparse_a else count)
    attributes = {"is_input_a_sparse": sparse_a, "is_input_b_sparse": sparse_b}
    operands = (
        TensorType((*lead, m, k), dtype),
        TensorType((1, count, k, n), dtype),
        TensorType((1, 1, 1, entries), draw(st.sampled_from((dtype, DType.UI16)))),
    )
    return Case(mnemonic, operands, attributes | ({"nnz": 0} if draw(st.booleans()) else {}), bounds={2: 2})


@for_ops(moe.TopkRouterGpt)
def _router(draw: Draw, mnemonic: str) -> Case:
    rows, inner, experts, dtype = draw(SIDE), draw(SIDE), draw(SIDE), draw(st.sampled_from(REALS))
    k = draw(st.integers(1, experts))
    bias = TensorType((draw(st.sampled_from((1, rows))), experts), dtype)
    operands = (TensorType((rows, inner), dtype), TensorType((inner, experts), dtype), bias)
    results = (TensorType((rows, k), DType.UI16), TensorType((rows, k), dtype))
    return Case(mnemonic, operands, {"k": k, "num_experts": experts}, results)


def _tokens(draw: Draw) -> tuple[tuple[int, int], int, int, TensorType]:
    """Batch and sequence, experts, experts of a token, and the mapping to one device."""
    experts = draw(st.integers(1, 6))
    k = draw(st.integers(1, experts))
    return (draw(LEAD), draw(SIDE)), experts, k, TensorType((1, 1, experts, 1), draw(INDEX))


@for_ops(token_exchange.TokenScatter)
def _dispatch(draw: Draw, mnemonic: str) -> Case:
    (batch, length), experts, k, mapping = _tokens(draw)
    dtype, width = draw(st.sampled_from(REALS)), draw(SIDE)
    lead = draw(st.sampled_from(((batch, 1, length), (batch, length, 1), (batch * length,))))
    scores = (TensorType((*lead, k), dtype),) if mnemonic.endswith("metadata") else ()
    sent = (TensorType((*lead, width), dtype), TensorType((*lead, k), draw(INDEX)), *scores)
    results = tuple(t.with_shape((1, batch, length, t.shape[-1])) for t in sent)
    return Case(mnemonic, (*sent, mapping), {"num_devices": 1, "cluster_axis": 0}, results, {1: experts, len(sent): 2})


@for_ops(token_exchange.AllToAllCombine)
def _combine(draw: Draw, mnemonic: str) -> Case:
    (batch, length), experts, k, mapping = _tokens(draw)
    dtype, width = draw(st.sampled_from(REALS)), draw(SIDE)
    shape = draw(st.sampled_from(((experts, batch, length), (batch, length, experts))))
    operands = (TensorType((*shape, width), dtype), TensorType((1, batch, length, k), draw(INDEX)), mapping)
    attributes = {"num_devices": 1, "cluster_axis": draw(st.integers(0, 1)), "num_experts_per_tok": k}
    return Case(mnemonic, operands, attributes, TensorType((k, batch, length, width), dtype), {1: experts, 2: 2})


@for_ops(moe.MoeExpertTokenRemap)
def _remap(draw: Draw, mnemonic: str) -> Case:
    (batch, length), experts, k, mapping = _tokens(draw)
    dtype, group = draw(st.sampled_from(REALS)), draw(st.sampled_from((1, 4, 32)))
    rows = draw(st.sampled_from(((1, batch, length), (length,))))
    operands = (
        TensorType((*rows, experts), dtype),
        mapping,
        TensorType((1, batch, length, k), draw(INDEX)),
    )
    results = (
        TensorType((1, batch, length, experts), dtype),
        TensorType((1, 1, -(-batch * length // group), experts), draw(st.sampled_from((dtype, DType.UI16)))),
    )
    return Case(mnemonic, operands, {"reduction_size": group}, results, {1: 2, 2: experts})


@for_ops(moe.SelectiveReduceCombine)
def _reduce_combine(draw: Draw, mnemonic: str) -> Case:
    (batch, length), experts, k, _ = _tokens(draw)
    width, dtype = draw(SIDE), draw(st.sampled_from(REALS))
    rows = TensorType((experts, batch, length, width), dtype)
    maps, counts = (TensorType((1, batch, length, n), draw(INDEX)) for n in (k, 1))
    attributes = {
        "hidden_size": width,
        "batch_size": batch,
        "seq_size": length,
        "select_experts_k": k,
        "experts": experts,
    }
    return Case(mnemonic, (rows, rows, maps, counts), attributes, rows.with_shape((k, batch, length, width)))


@for_ops(experts.MoeGpt)
def _moe_gpt(draw: Draw, mnemonic: str) -> Case:
    tokens, k, width = draw(SIDE), draw(LEAD), draw(SIDE)
    operands = (
        TensorType((tokens, width), DType.BF16),
        TensorType((tokens, k), DType.UI16),
        TensorType((tokens, k), DType.BF16),
        TensorType((1, 16), DType.UI16),
        TensorType((12, 1, 4, 4, width, 128), DType.BF16),
        TensorType((12, 1, 4, 2, width, 128), DType.BF16),
    )
    counts = tuple(TensorType((1, n), DType.UI32) for n in (16, 512, 129))
    rows = TensorType((12, 2, 32, width), DType.BF16)
    return Case(mnemonic, operands, {"hidden_size": width, "cluster_axis": 0}, (*counts, rows, rows))


@for_ops(experts.MoeCompute)
def _moe_compute(draw: Draw, mnemonic: str) -> Case:
    tokens, k, width, inner, experts = draw(SIDE), draw(LEAD), draw(SIDE), 32 * draw(LEAD), draw(LEAD)
    up = TensorType((1, experts, width, inner), DType.BF16)
    operands = (
        TensorType((1, tokens, width), DType.BF16),
        TensorType((1, tokens, k), DType.UI16),
        TensorType((1, tokens, k), DType.BF16),
        TensorType((1, experts), DType.UI16),
        *(up, up, up.with_shape((1, experts, inner, width))),
        *((up.with_shape((1, experts, inner)),) if draw(st.booleans()) else (None,)),
        *(None, None),
    )
    attributes = {"layer_id": 0, "output_height_shard_dim": 4, "intermediate_size": inner, "cluster_axis": 1}
    return Case(mnemonic, operands, attributes, TensorType((k, tokens, width), DType.BF16))


@for_ops(opaque.TtLangOp)
def _tt_lang(draw: Draw, mnemonic: str) -> Case:
    reads, writes = draw(st.lists(SIDE, max_size=3)), draw(st.lists(SIDE, min_size=1, max_size=3))
    operands = tuple(TensorType((n, 32), DType.BF16) for n in (*reads, *writes))
    roles = ",".join(["in"] * len(reads) + ["out"] * len(writes))
    return Case(mnemonic, operands, {"kernel_id": "pkg.f::v1", "version_tag": "1.0", "arg_roles": roles})
