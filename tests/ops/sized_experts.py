"""One case of any size of each op on caches, experts and kernels of other people."""

from typing import Any

from tests.ops.case import Case
from tests.ops.sized import size_as
from ttstack.ops import OPS, decode, experts, kv_cache, matmul, moe, opaque, state, token_exchange
from ttstack.ops.types import DType, TensorType

USERS, HEADS, BLOCK, DEPTH = 4, 2, 32, 64


def _t(*extents: int, dtype: DType = DType.BF16) -> TensorType:
    return TensorType(extents, dtype)


def _ids(*extents: int) -> TensorType:
    return _t(*extents, dtype=DType.UI32)


def _plain_cache(m: str, n: int) -> Case:
    """As many users as there are rows, or as many rows."""
    if m == "update_cache":
        return Case(m, (_t(n, HEADS, 64, DEPTH), _t(1, HEADS, n, DEPTH), _ids(1)), {"batch_offset": 0})
    return Case(m, (_t(USERS, HEADS, n, DEPTH), _t(USERS, HEADS, n, DEPTH)), {"batch_offset": 0})


def _paged_cache(m: str, n: int) -> Case:
    pages = -(-n // BLOCK)
    if m == "paged_update_cache":
        return Case(m, (_t(n, HEADS, BLOCK, DEPTH), _t(1, n, HEADS, DEPTH), _ids(n), _ids(n, 1)))
    cache, table = _t(USERS * pages, HEADS, BLOCK, DEPTH), _ids(USERS, pages)
    return Case(m, (cache, _t(1, HEADS, n, DEPTH), table, None))


def _decode(m: str, n: int) -> Case:
    heads = 1 if "latent" in m else HEADS
    pages = -(-n // BLOCK)
    chunk = m.startswith("chunked")
    query = _t(1, 2 * heads, n, DEPTH) if chunk else _t(1, USERS, 2 * heads, DEPTH)
    table = _ids(1 if chunk else USERS, pages)
    cache = (
        _t(table.size, heads, BLOCK, DEPTH) if "page_table" in OPS[m].operand_specs() else _t(USERS, heads, n, DEPTH)
    )
    found: dict[str, Any] = {
        "query": query,
        "key": cache,
        "value": cache,
        "page_table": table,
        "output": query,
        "cur_pos_tensor": _ids(USERS),
        "chunk_start_idx": _ids(1),
    }
    attributes = {"head_dim_v": DEPTH} if "latent" in m else {}
    return Case(m, tuple(found.get(name) for name in OPS[m].operand_specs()), attributes)


def _router(m: str, n: int) -> Case:
    operands = (_t(n, n), _t(n, 64), _t(1, 64))
    return Case(m, operands, {"k": 4, "num_experts": 64}, (_ids(n, 4), _t(n, 4)))


def _exchange(m: str, n: int) -> Case:
    scores = (_t(1, 1, n, 4),) if m.endswith("metadata") else ()
    sent = (_t(1, 1, n, n), _ids(1, 1, n, 4), *scores)
    return Case(m, (*sent, _ids(1, 1, 8, 1)), {"num_devices": 1, "cluster_axis": 0}, sent)


def _combine(m: str, n: int) -> Case:
    attributes = {"num_devices": 1, "cluster_axis": 0, "num_experts_per_tok": 4}
    return Case(m, (_t(8, 1, n, n), _ids(1, 1, n, 4), _ids(1, 1, 8, 1)), attributes, _t(4, 1, n, n))


def _remap(m: str, n: int) -> Case:
    operands = (_t(1, 1, n, n), _ids(1, 1, n, 1), _ids(1, 1, n, 4))
    return Case(m, operands, {"reduction_size": 32}, (_t(1, 1, n, n), _t(1, 1, -(-n // 32), n)))


def _reduce_combine(m: str, n: int) -> Case:
    sizes = {"hidden_size": n, "batch_size": 1, "seq_size": n, "select_experts_k": 4, "experts": 8}
    return Case(m, (_t(8, 1, n, n), _t(8, 1, n, n), _ids(1, 1, n, 4), _ids(1, 1, n, 1)), sizes, _t(4, 1, n, n))


def _moe_gpt(m: str, n: int) -> Case:
    operands = (_t(8 * n, n), _ids(8 * n, 4), _t(8 * n, 4), _ids(1, 16), _t(1, 1, 4, 4, n, 128), _t(1, 1, 4, 2, n, 128))
    results = (_ids(1, 16), _ids(1, 512), _ids(4, 129), _t(4, n, n), _t(4, n, n))
    return Case(m, operands, {"hidden_size": n}, results)


def _moe_compute(m: str, n: int) -> Case:
    up, down = _t(1, 2, n, 128), _t(1, 2, 128, n)
    operands = (_t(1, 8 * n, n), _ids(1, 8 * n, 2), _t(1, 8 * n, 2), _ids(1, 2), up, up, down, None, None, None)
    attributes = {"layer_id": 0, "output_height_shard_dim": 4, "intermediate_size": 128, "cluster_axis": 0}
    return Case(m, operands, attributes, _t(2, 8 * n, n))


def _tt_lang(m: str, n: int) -> Case:
    return Case(m, (_t(n, n), _t(n, n)), {"kernel_id": "f", "version_tag": "1", "arg_roles": "in,out"})


size_as(
    {
        state.Assign: lambda m, n: Case(m, (_t(n, n), _t(n, n))),
        state.Clone: lambda m, n: Case(m, (_t(n, n),)),
        kv_cache.PlainCacheWrite: _plain_cache,
        kv_cache.CacheWrite: _paged_cache,
        decode.CacheAttention: _decode,
        matmul.SparseMatmul: lambda m, n: Case(m, (_t(2, 2, n, n), _t(1, 4, n, n), _t(2, 2, 1, 4))),
        moe.TopkRouterGpt: _router,
        token_exchange.TokenScatter: _exchange,
        token_exchange.AllToAllCombine: _combine,
        moe.MoeExpertTokenRemap: _remap,
        moe.SelectiveReduceCombine: _reduce_combine,
        experts.MoeGpt: _moe_gpt,
        experts.MoeCompute: _moe_compute,
        opaque.TtLangOp: _tt_lang,
    }
)
