"""Rows of attention: over whole sequences, of new tokens, and as a sequence of ops."""

import math
import re
from dataclasses import replace

from layouts import dtype_of, grid_of
from placed import like
from rows import Row
from shapes import extents, named, pick

from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.layout import Layout
from ttstack.device.matmul.default import default_matmul
from ttstack.device.program_config import config_fields, read_config
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import ChipDesc

_BATCH = ("b", "batch", "users", "bsz", "batch_size")
_HEADS = ("nh", "h", "heads", "nqh", "nq", "num_heads", "q_heads", "hq", "n_heads")
_KEY_HEADS = ("nkv", "nkvh", "kv", "hkv", "kvh", "kv_heads", "num_kv_heads", "n_kv_heads", "nkv_heads")
_LENGTH = ("s", "seq", "sq", "seq_len", "seqlen", "q_len", "sequence_len", "q")
_KEYS = ("sk", "kv_len", "k_len", "cache_len", "cache", "context_len", "context", "ctx", "skv", "k", "seq_k", "kv_seq")
_TESTED = 16
"""Tiles of keys in a chunk of the test that the report on decoding took its times from, 512 keys."""
_DEPTH = ("d", "dh", "head_dim", "dim", "e")


def attention_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Flash attention over whole sequences; causal unless the row says otherwise."""
    sizes, dtype = named(row.shape), dtype_of(row.dtypes[0])
    cached = dtype_of(row.dtypes[1] or row.dtypes[0])
    listed = [shape for shape in extents(row.shape) if len(shape) == 4]
    if listed:
        query, key = listed[0], listed[min(1, len(listed) - 1)]
    else:
        b, h, s, d = pick(sizes, _BATCH, 1), pick(sizes, _HEADS), pick(sizes, (*_LENGTH, *_KEYS)), pick(sizes, _DEPTH)
        query, key = (b, h, s, d), (b, pick(sizes, _KEY_HEADS, h), pick(sizes, _KEYS, s), d)
    words = f"{row.op} {row.notes} {row.shape} {row.table}".lower()
    causal = not re.search(r"no[nt][- _]?causal|causal\s*=\s*false|joint|windowed", words) and query[2] == key[2]
    q, kv = TensorType(query, dtype), TensorType(key, cached)
    placed = like(row, "scaled_dot_product_attention", [q, kv, kv], {"is_causal": causal}, chip)
    return _stated(placed, row)


def _stated(placed: DeviceOp, row: Row) -> DeviceOp:
    """The op at the fidelity that the row states, else tt-metal's of attention, and in its chunks."""
    chunks = {name: tiles for name, tiles in row.said.blocks.items() if name in ("q_chunk_tiles", "k_chunk_tiles")}
    fidelity = placed.fidelity if "fi" in row.fidelity.lower() else Fidelity.HIFI2
    return _chunked(replace(placed, fidelity=fidelity), chunks)


def _chunked(placed: DeviceOp, chunks: dict[str, int]) -> DeviceOp:
    return replace(placed, config=read_config(config_fields(placed.config) | chunks))


def decode_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Attention of one new token of each user to a cache in DRAM."""
    sizes = named(f"{row.shape} {row.notes if not row.shape else ''}")
    listed = [shape for shape in extents(row.shape) if len(shape) == 4]
    if len(listed) > 1:
        (_, b, h, d), (_, kv, s, _) = listed[:2]
    else:
        b, s, d = pick(sizes, _BATCH, 1), pick(sizes, (*_KEYS, *_LENGTH)), pick(sizes, _DEPTH)
        h = pick(sizes, _HEADS)
        kv = pick(sizes, _KEY_HEADS, 8 if h % 8 == 0 else 1)
    query = TensorType((1, b, h, d), DType.BF16)
    keys = TensorType((b, kv, s, d), dtype_of(row.dtypes[1] or row.dtypes[0]))
    operands = [query, keys, keys, None, TensorType((b,), DType.SI32)]
    in_memory = replace(row, memory_layout="DRAM")
    placed = _stated(like(in_memory, "scaled_dot_product_attention_decode", operands, {"is_causal": True}, chip), row)
    if "FlashDecode.md" in row.source and "k_chunk_tiles" not in row.said.blocks:
        return _chunked(placed, {"k_chunk_tiles": _TESTED})
    return placed


def unfused_attention_row(row: Row, chip: ChipDesc) -> tuple[DeviceOp, ...]:
    """Attention over whole sequences as a sequence of ops."""
    query, key, value = attention_row(row, chip).op.operands
    return _unfused(row, query, key, value, chip)


def unfused_decode_row(row: Row, chip: ChipDesc) -> tuple[DeviceOp, ...]:
    """Attention of new tokens as a sequence of ops: query heads that share keys are rows of one product."""
    query, key, value = (t for t in decode_row(row, chip).op.operands[:3])
    (_, users, heads, depth), kv = query.shape, key.shape[1]
    return _unfused(row, query.with_shape((users, kv, heads // kv, depth)), key, value, chip)


def _unfused(row: Row, query: TensorType, key: TensorType, value: TensorType, chip: ChipDesc) -> tuple[DeviceOp, ...]:
    """Scores, scaling, mask, softmax, product with the values."""
    scores = TensorType((*query.shape[:3], key.shape[2]), query.dtype)
    transposed = TensorType((*key.shape[:2], key.shape[3], key.shape[2]), key.dtype)
    return (
        like(row, "transpose", [key], {"dim0": 2, "dim1": 3}, chip),
        *_products(row, query, transposed, chip),
        like(row, "multiply", [scores, TensorType((1, 1, 1, 1), scores.dtype)], {}, chip),
        like(row, "add", [scores, TensorType((1, 1, *scores.shape[2:]), scores.dtype)], {}, chip),
        like(row, "softmax", [scores], {"dimension": 3}, chip),
        *_products(row, scores, value, chip),
    )


def _products(row: Row, a: TensorType, b: TensorType, chip: ChipDesc) -> tuple[DeviceOp, ...]:
    """Products of a batch, one after the other over the cores that the row names, as ttnn divides one."""
    op = OPS["matmul"].on([t.with_shape(t.shape[-2:]) for t in (a, b)], {})
    dram = Layout(dtype_of(row.dtypes[0]))
    one = DeviceOp(op, (dram, dram), (dram,), grid_of(row.grid, chip))
    return (default_matmul(one, chip, asked=True),) * math.prod(b.shape[:-2])
