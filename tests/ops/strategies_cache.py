"""What can be drawn for buffers that are written: caches of keys and values, attention over them, and any other."""

from typing import Any

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import LEAD, REALS, Draw, for_ops, tensors
from ttstack.ops import OPS, decode, kv_cache, state
from ttstack.ops.types import DType, TensorType

DEPTH = st.sampled_from((1, 8, 32, 40))
LENGTH = st.sampled_from((1, 4, 32, 64))
INDEX = st.sampled_from((DType.I32, DType.UI32, DType.I64))


@for_ops(state.Assign)
def _assign(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    return Case(mnemonic, (t, t), {})


@for_ops(state.Clone)
def _clone(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (draw(tensors()),), {})


@for_ops(kv_cache.UpdateCache)
def _update_cache(draw: Draw, mnemonic: str) -> Case:
    users, heads, length, depth = draw(LEAD), draw(LEAD), draw(LENGTH), draw(DEPTH)
    dtype, offset, count = draw(st.sampled_from(REALS)), draw(st.integers(0, 1)), draw(st.integers(1, 1 + length // 2))
    count = min(count, length)
    shape = (users, heads, count, depth)
    if transposed := users > 1 and draw(st.booleans()):
        shape = (1, heads, users, depth)
    elif users == 1 and 1 < count <= users + offset:
        shape = (1, heads, 1, depth)
    rows = 1 if transposed else shape[2]
    at = TensorType((draw(st.sampled_from((1, users))),), draw(INDEX))
    cache = TensorType((users + (0 if transposed else offset), heads, length, depth), dtype)
    attributes = {"batch_offset": 0 if transposed else offset}
    return Case(mnemonic, (cache, cache.with_shape(shape), at), attributes, bounds={2: length - rows + 1})


@for_ops(kv_cache.FillCache)
def _fill_cache(draw: Draw, mnemonic: str) -> Case:
    users, heads, length, depth = draw(LEAD), draw(LEAD), draw(LENGTH), draw(DEPTH)
    dtype, offset = draw(st.sampled_from(REALS)), draw(st.integers(0, 1))
    cache = TensorType((users + offset, heads, length, depth), dtype)
    rows = cache.with_shape((users, heads, draw(st.integers(1, length)), depth))
    return Case(mnemonic, (cache, rows), {"batch_offset": offset})


def _pages(draw: Draw, users: int) -> tuple[int, TensorType]:
    """Pages that the cache has, and a table of some of them."""
    count = draw(LEAD)
    return users * count, TensorType((users, count), draw(INDEX))


@for_ops(kv_cache.PagedUpdateCache)
def _paged_update_cache(draw: Draw, mnemonic: str) -> Case:
    users, heads, block, depth = draw(LEAD), draw(LEAD), draw(LENGTH), draw(DEPTH)
    dtype, more = draw(st.sampled_from(REALS)), draw(st.integers(0, 2))
    at = TensorType((users,), draw(INDEX))
    rows = TensorType((1, users, heads + more, depth), dtype)
    if draw(st.booleans()):
        blocks, table = _pages(draw, users)
        cache = TensorType((blocks, heads, block, depth), dtype)
        return Case(mnemonic, (cache, rows, at, table), {}, bounds={2: block * table.shape[1], 3: blocks})
    shared = draw(st.booleans())
    cache = TensorType((1 if shared else users, heads, block, depth), dtype)
    return Case(mnemonic, (cache, rows, at, None), {"share_cache": shared}, bounds={2: block})


@for_ops(kv_cache.PagedFillCache)
def _paged_fill_cache(draw: Draw, mnemonic: str) -> Case:
    users, heads, block, depth = draw(LEAD), draw(LEAD), draw(LENGTH), draw(DEPTH)
    dtype, named = draw(st.sampled_from(REALS)), draw(st.booleans())
    blocks, table = _pages(draw, users)
    given = users if named else 1
    rows = (given, heads * draw(LEAD), draw(st.integers(1, block * table.shape[1])), depth)
    index = TensorType((given,), draw(INDEX)) if named else None
    operands = (TensorType((blocks, heads, block, depth), dtype), TensorType(rows, dtype), table, index)
    return Case(mnemonic, operands, {}, bounds={2: blocks, 3: users})


@for_ops(decode.CacheAttention)
def _decode(draw: Draw, mnemonic: str) -> Case:
    latent = mnemonic == "paged_flash_multi_latent_attention_decode"
    users, kv, depth = draw(LEAD), 1 if latent else draw(LEAD), draw(DEPTH)
    heads, width, dtype = kv * draw(LEAD), draw(DEPTH), draw(st.sampled_from(REALS))
    block = draw(LENGTH)
    blocks, table = _pages(draw, users)
    if mnemonic == "scaled_dot_product_attention_decode":
        blocks, table = users, None
    values: TensorType | None = TensorType((blocks, kv, block, width), dtype)
    attributes: dict[str, Any] = {"scale": 0.5} if draw(st.booleans()) else {}
    if latent and draw(st.booleans()):
        values, width = None, depth
    if latent:
        attributes["head_dim_v"] = width = draw(st.integers(1, width))
    caches = {"key": TensorType((blocks, kv, block, depth), dtype), "value": values, "page_table": table}
    length = block * (table.shape[1] if table else 1)
    if mnemonic == "chunked_scaled_dot_product_attention":
        rows = draw(st.integers(1, length))
        query = TensorType((users, heads, rows, depth), dtype)
        others = {"chunk_start_idx": TensorType((1,), DType.I32)}
        bound = length - rows + 1
    else:
        query, bound = TensorType((1, users, heads, depth), dtype), length
        others, attributes = _masks(draw, attributes, mnemonic, (users, 1, heads, length), dtype)
    output = {"output": query.with_shape((*query.shape[:3], width))}
    return _by_place(mnemonic, {"query": query} | caches | others | output, attributes, {"page_table": blocks}, bound)


def _masks(
    draw: Draw, attributes: dict[str, Any], mnemonic: str, scores: tuple[int, int, int, int], dtype: DType
) -> tuple[dict[str, TensorType | None], dict[str, Any]]:
    users, _, heads, _ = scores
    causal = draw(st.booleans())
    mask = None if causal or draw(st.booleans()) else TensorType((1, 1, 1, 1) if draw(st.booleans()) else scores, dtype)
    sink = TensorType(draw(st.sampled_from(((heads,), (1, heads, 1, 1), (heads, 32)))), dtype)
    positions = TensorType((users,), draw(INDEX))
    found: dict[str, TensorType | None] = {
        "attention_mask": mask,
        "cur_pos_tensor": positions if mnemonic.startswith("scaled") or draw(st.booleans()) else None,
        "attention_sink": sink if draw(st.booleans()) else None,
    }
    return found, attributes | {"is_causal": causal}


def _by_place(
    mnemonic: str,
    operands: dict[str, TensorType | None],
    attributes: dict[str, Any],
    bounds: dict[str, int],
    positions: int,
) -> Case:
    places = list(OPS[mnemonic].operand_specs())
    limits = bounds | dict.fromkeys(("cur_pos_tensor", "chunk_start_idx"), positions)
    found = {places.index(name): limit for name, limit in limits.items() if name in places}
    return Case(mnemonic, tuple(operands.get(name) for name in places), attributes, None, found)
