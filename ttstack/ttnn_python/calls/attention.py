"""Attention, and heads between columns and a dimension of their own."""

from ttstack.device.circular_buffers.attention import chunk_tiles, free_cores
from ttstack.device.program_config import AttentionConfig
from ttstack.ops.types import TILE
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, Item, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError

_CORES_OF_HEAD = 16
"""Cores that share the keys of a head of one user, at most, as presets have it; the library alone takes all."""


@calls("scaled_dot_product_attention", "block_sparse_attention")
def attention(o: PlacedOp) -> Expression:
    """Flash attention in chunks of queries and keys; of documents, or with flags of the blocks that are visited."""
    more = list(o.op.operand_specs())[len(("query", "key", "value", "attention_mask", "attention_sink")) :]
    if o.op.is_causal and o.op.query.shape[2] != o.op.key.shape[2]:
        raise NoCallError("causal attention of queries and keys of other lengths")
    return call(
        "transformer.scaled_dot_product_attention",
        *(o.operand(place) for place in ("query", "key", "value")),
        attn_mask=o.operand("attention_mask"),
        is_causal=o.op.is_causal,
        scale=o.op.scale,
        sliding_window_size=o.op.sliding_window_size,
        attention_sink=o.operand("attention_sink"),
        **{place: o.operand(place) for place in more},
        memory_config=o.memory,
        program_config=chunks(o),
        compute_kernel_config=o.compute,
    )


def chunks(o: PlacedOp) -> Call:
    """Elements of queries and of keys that a pass takes."""
    config, grid = o.device_op.config, o.device_op.grid
    most = AttentionConfig(*o.device_op.dispatch.domain[-2:]).tiles()
    tiles = most | (config.tiles() if isinstance(config, AttentionConfig) else {})
    return call(
        "SDPAProgramConfig",
        compute_with_storage_grid_size=call("CoreCoord", grid.cols, grid.rows),
        q_chunk_size=TILE * tiles["q_chunk_tiles"],
        k_chunk_size=TILE * tiles["k_chunk_tiles"],
        exp_approx_mode=False,
    )


@calls("scaled_dot_product_attention_decode", "paged_scaled_dot_product_attention_decode")
def decode(o: PlacedOp) -> Expression:
    """One query a user over a cache, of which a tensor says how much is filled."""
    if len({t.shape[-1] for t in (o.op.query, o.op.key, o.op.value)}) > 1:
        raise NoCallError("heads of queries, keys and values of other widths")
    causal = o.op.is_causal and o.operand("cur_pos_tensor") is not None
    if "page_table" not in o.op.operand_specs() and o.op.key.shape[2] % TILE and not causal:
        raise NoCallError(f"a cache of {o.op.key.shape[2]} rows, which are no whole tiles")
    return call(
        f"transformer.{o.op.mnemonic}",
        *(o.operand(place) for place in ("query", "key", "value")),
        *(() if "page_table" not in o.op.operand_specs() else (o.operand("page_table"),)),
        is_causal=causal,
        attn_mask=o.operand("attention_mask"),
        cur_pos_tensor=o.operand("cur_pos_tensor"),
        attention_sink=o.operand("attention_sink"),
        scale=o.op.scale,
        sliding_window_size=getattr(o.op, "sliding_window_size", None) if causal else None,
        memory_config=o.memory,
        program_config=_shared_by(o, whole=not causal and "page_table" in o.op.operand_specs()),
        compute_kernel_config=o.compute,
    )


def _shared_by(o: PlacedOp, *, whole: bool) -> Call | None:
    """Where there are more cores for a head than share it: no more than that, in chunks of the library's choice.

    Those of pages that are seen `whole` it must be told, and those of a cache whose last tile is not full.
    """
    free = free_cores(o.device_op, o.op)
    if "page_table" not in o.op.operand_specs() and o.op.key.shape[2] % TILE:
        return _decode_config(o, TILE * chunk_tiles(o.op))
    return _decode_config(o, TILE if whole else 0) if free > _CORES_OF_HEAD else None


def _decode_config(o: PlacedOp, keys: int) -> Call:
    grid = o.device_op.grid
    return call(
        "SDPAProgramConfig",
        compute_with_storage_grid_size=call("CoreCoord", grid.cols, grid.rows),
        q_chunk_size=0,
        k_chunk_size=keys,
        max_cores_per_head_batch=_CORES_OF_HEAD,
    )


@calls("paged_flash_multi_latent_attention_decode")
def latent(o: PlacedOp) -> Expression:
    """One query a user over latent pages; their first columns are values where there are none."""
    if not o.op.is_causal or o.operand("cur_pos_tensor") is None:
        raise NoCallError("latent attention with a mask: up to the place of each user only")
    return call(
        f"transformer.{o.op.mnemonic}",
        *(o.operand(place) for place in ("query", "key", "value")),
        head_dim_v=o.op.head_dim_v,
        page_table_tensor=o.operand("page_table"),
        cur_pos_tensor=o.operand("cur_pos_tensor"),
        attention_sink=o.operand("attention_sink"),
        scale=o.op.scale,
        memory_config=o.memory,
        program_config=_decode_config(o, TILE),
        compute_kernel_config=o.compute,
    )


@calls("chunked_scaled_dot_product_attention")
def attention_of_chunk(o: PlacedOp) -> Expression:
    """Queries of a chunk, whose place is in a tensor, over pages."""
    return call(
        f"transformer.{o.op.mnemonic}",
        *(o.operand(place) for place in ("query", "key", "value", "page_table")),
        chunk_start_idx_tensor=o.operand("chunk_start_idx"),
        scale=o.op.scale,
        memory_config=o.memory,
        compute_kernel_config=o.compute,
    )


@calls("split_heads")
def split_heads(o: PlacedOp) -> Expression:
    """As queries without keys."""
    batch, heads, rows, width = o.op.results[0].shape
    found = call(
        "experimental.nlp_create_qkv_heads",
        call("reshape", o.operand("input"), [batch, 1, rows, heads * width]),
        num_heads=heads,
        num_kv_heads=0,
        transpose_k_heads=False,
        memory_config=o.memory,
    )
    return Item(found, 0)


@calls("split_query_key_value_and_split_heads")
def split_all_heads(o: PlacedOp) -> Expression:
    """Queries, keys and values out of one tensor, or of two as long."""
    return call(
        "transformer.split_query_key_value_and_split_heads",
        o.operand("input_tensor"),
        o.operand("kv_input_tensor"),
        num_heads=o.op.num_heads,
        num_kv_heads=o.op.num_kv_heads,
        transpose_key=o.op.transpose_key,
        memory_config=o.memory,
    )


@calls("split_query_key_value_decode")
def split_users(o: PlacedOp) -> Expression:
    """Queries, keys and values in shards of a user."""
    _, users, _, width = o.op.results[0].shape
    if users > TILE or width % TILE:
        raise NoCallError(f"{users} users with heads of {width} elements: up to {TILE} with whole tiles have a call")
    heads = {"num_heads": o.op.num_heads, "num_kv_heads": o.op.num_kv_heads}
    rows = call("reshape", o.operand("input"), [1, *o.op.input.shape])
    return call("experimental.nlp_create_qkv_heads_decode", rows, **heads)


@calls("concatenate_heads_decode")
def join_users(o: PlacedOp) -> Expression:
    """From shards of a user to shards of a head."""
    heads = o.op.input.shape[2]
    joined = call("experimental.nlp_concat_heads_decode", o.operand("input"), num_heads=heads)
    return call("reshape", joined, list(o.op.results[0].shape))


@calls("concatenate_heads")
def concatenate_heads(o: PlacedOp) -> Expression:
    """Heads side by side."""
    return call("transformer.concatenate_heads", o.operand("input"), memory_config=o.memory)
