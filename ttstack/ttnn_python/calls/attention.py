"""Attention, and moves of heads between columns and a separate dimension."""

from ttstack.device.circular_buffers.attention import chunk_tiles, free_cores
from ttstack.device.program_config import AttentionConfig
from ttstack.ops.types import TILE
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, Item, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError

_CORES_OF_HEAD = 16
"""Maximum number of cores that share the keys of a head of one user, as in presets; the library's default is all."""


@calls("scaled_dot_product_attention", "block_sparse_attention")
def attention(o: PlacedOp) -> Expression:
    """Call flash attention with chunk sizes, and with documents or block flags if present."""
    more = list(o.op.operand_specs())[len(("query", "key", "value", "attention_mask", "attention_sink")) :]
    if o.op.is_causal and o.op.query.shape[2] != o.op.key.shape[2]:
        raise NoCallError("causal attention with different lengths of queries and keys")
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
    """Return the chunk sizes of queries and keys."""
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
    """Call attention of one query per user over a cache, whose fill level is a tensor."""
    if len({t.shape[-1] for t in (o.op.query, o.op.key, o.op.value)}) > 1:
        raise NoCallError("heads of queries, keys and values with different widths")
    causal = o.op.is_causal and o.operand("cur_pos_tensor") is not None
    if "page_table" not in o.op.operand_specs() and o.op.key.shape[2] % TILE and not causal:
        raise NoCallError(f"a cache of {o.op.key.shape[2]} rows, which is not a multiple of a tile")
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
    """Return a limit on the cores per head if more are available, with the library's choice of chunks.

    Fully visible pages need explicit chunks, and so do caches whose last tile is partly filled.
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
    """Call attention of one query per user over latent pages; without values, the first columns are the values."""
    if not o.op.is_causal or o.operand("cur_pos_tensor") is None:
        raise NoCallError("latent attention with a mask: only the positions of users can limit it")
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
    """Call attention of a chunk of queries, whose position is a tensor, over pages."""
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
    """Split heads as queries without keys."""
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
    """Split queries, keys and values from one tensor, or from two."""
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
    """Split queries, keys and values into shards by user."""
    _, users, _, width = o.op.results[0].shape
    if users > TILE or width % TILE:
        raise NoCallError(f"{users} users with heads of {width} elements: at most {TILE} users and whole tiles")
    heads = {"num_heads": o.op.num_heads, "num_kv_heads": o.op.num_kv_heads}
    rows = call("reshape", o.operand("input"), [1, *o.op.input.shape])
    return call("experimental.nlp_create_qkv_heads_decode", rows, **heads)


@calls("concatenate_heads_decode")
def join_users(o: PlacedOp) -> Expression:
    """Convert shards by user to shards by head."""
    heads = o.op.input.shape[2]
    joined = call("experimental.nlp_concat_heads_decode", o.operand("input"), num_heads=heads)
    return call("reshape", joined, list(o.op.results[0].shape))


@calls("concatenate_heads")
def concatenate_heads(o: PlacedOp) -> Expression:
    """Concatenate heads."""
    return call("transformer.concatenate_heads", o.operand("input"), memory_config=o.memory)
