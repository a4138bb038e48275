"""Attention, and heads between columns and a dimension of their own."""

from ttstack.device.configs.attention import AttentionConfig
from ttstack.ops.types import TILE, DType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, Item, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type

_NARROW = DType.BF16
"""What attention computes with where operands have 32 bits."""


@calls("scaled_dot_product_attention")
def attention(o: PlacedOp) -> Expression:
    """Flash attention in chunks of queries and keys; a mask of one row is repeated for all queries."""
    if o.op.is_causal and o.op.query.shape[2] != o.op.key.shape[2]:
        raise NoCallError("causal attention of queries and keys of other lengths")
    mask = _narrow(o, "attention_mask")
    if mask is not None:
        rows, needed = o.at("attention_mask")[0].shape[-2:-1], o.op.query.shape[2]
        mask = mask if rows == (needed,) else call("repeat", mask, [1, 1, needed, 1])
    found = call(
        "transformer.scaled_dot_product_attention",
        *(_narrow(o, place) for place in ("query", "key", "value")),
        attn_mask=mask,
        is_causal=o.op.is_causal,
        scale=o.op.scale,
        sliding_window_size=o.op.sliding_window_size,
        attention_sink=_narrow(o, "attention_sink"),
        memory_config=o.memory,
        program_config=chunks(o),
        compute_kernel_config=o.compute,
    )
    return o.cast(found, _NARROW if o.operand_dtype is DType.F32 else o.operand_dtype)


def _narrow(o: PlacedOp, place: str) -> Expression | None:
    """An operand in a format that attention takes: not in 32 bits."""
    found = o.operand(place)
    if found is None or o.at(place)[1].dtype is not DType.F32:
        return found
    return call("typecast", found, data_type(_NARROW))


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
    found = call(
        f"transformer.{o.op.mnemonic}",
        *(_narrow(o, place) for place in ("query", "key", "value")),
        *(() if "page_table" not in o.op.operand_specs() else (o.operand("page_table"),)),
        is_causal=o.op.is_causal,
        attn_mask=_narrow(o, "attention_mask"),
        cur_pos_tensor=o.operand("cur_pos_tensor"),
        attention_sink=_narrow(o, "attention_sink"),
        scale=o.op.scale,
        sliding_window_size=getattr(o.op, "sliding_window_size", None),
        memory_config=o.memory,
        compute_kernel_config=o.compute,
    )
    return o.cast(found, _NARROW if o.operand_dtype is DType.F32 else o.operand_dtype)


@calls("split_heads")
def split_heads(o: PlacedOp) -> Expression:
    """As queries without keys where heads are whole tiles, else a reshape and a permutation."""
    batch, heads, rows, width = o.op.results[0].shape
    x = o.operand("input")
    if width % TILE:
        split = call("reshape", x, [batch, rows, heads, width])
        return call("permute", split, [0, 2, 1, 3], memory_config=o.memory)
    found = call(
        "experimental.nlp_create_qkv_heads",
        call("reshape", x, [batch, 1, rows, heads * width]),
        num_heads=heads,
        num_kv_heads=0,
        transpose_k_heads=False,
        memory_config=o.memory,
    )
    return Item(found, 0)


@calls("split_query_key_value_and_split_heads")
def split_all_heads(o: PlacedOp) -> Expression:
    """Queries, keys and values out of one tensor, or of two."""
    if o.op.results[0].shape[-1] % TILE:
        raise NoCallError(f"heads of {o.op.results[0].shape[-1]} elements, which are no whole tiles")
    both = o.op.kv_input_tensor
    if both is not None and both.shape[1] != o.op.input_tensor.shape[1]:
        raise NoCallError("heads of queries and keys of other lengths")
    return call(
        "transformer.split_query_key_value_and_split_heads",
        o.operand("input_tensor"),
        o.operand("kv_input_tensor"),
        num_heads=o.op.num_heads,
        num_kv_heads=o.op.num_kv_heads,
        transpose_key=o.op.transpose_key,
        memory_config=o.memory,
    )


@calls("concatenate_heads")
def concatenate_heads(o: PlacedOp) -> Expression:
    """Heads side by side where they are whole tiles, else a permutation and a reshape."""
    if o.op.input.shape[-1] % TILE == 0:
        return call("transformer.concatenate_heads", o.operand("input"), memory_config=o.memory)
    rows_first = call("permute", o.operand("input"), [0, 2, 1, 3])
    return call("reshape", rows_first, list(o.op.results[0].shape), memory_config=o.memory)
