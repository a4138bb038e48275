"""Cycles of attention on the core with the most work, and the keys that it visits."""

import math
from typing import Any

import numpy as np

from ttstack.cost.math.work import Work
from ttstack.device.circular_buffers.attention import chunk_tiles
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import attention_chunks
from ttstack.device.kernel_class import (
    attention_masks,
    attention_operands,
    visible_scores,
)
from ttstack.device.program_config import AttentionConfig
from ttstack.device.query_blocks import in_pairs
from ttstack.ops.attention import scores_of
from ttstack.ops.block_sparse import BlockSparseAttention, block_flags
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.flash import Attended
from ttstack.ops.loops import IndexingMap
from ttstack.ops.types import TILE, tiles
from ttstack.system_desc import ChipDesc


def attention_work(device_op: DeviceOp, chip: ChipDesc) -> Work:
    """Products of visible score tiles and their softmax, one after the other on the same Dst, chunk by chunk.

    What fills the last chunks is computed too.
    """
    parts = key_parts(device_op, chip)
    q_chunk, k_chunk = _score_chunk(device_op, chip)
    score = _core_keys(device_op, chip) * device_op.core_units
    products = sum(op.count for op in device_op.dispatch.work if op.name == "matmul") / _visible_share(device_op)
    size = max(device_op.operands[i].dtype.tile_bytes for i in attention_operands(device_op))
    each = max(chip.matrix.matmul_cycles_per_tile.at(device_op.fidelity), size / chip.unpack.bytes_per_cycle)
    softmax = chip.attention.softmax_cycles_per_tile
    cycles = score * (products * each + softmax) + device_op.core_units * chip.attention.query_row_cycles
    cycles += score / (q_chunk * k_chunk) * chip.attention.chunk_cycles
    return Work(
        cycles,
        score * products * size / chip.unpack.bytes_per_cycle,
        0.0,
        score * products * each,
        cores=device_op.cores * parts,
        parts=parts,
        merge=_merge_cycles(device_op, parts, chip),
    )


def _chunks_of_core(device_op: DeviceOp, chip: ChipDesc) -> int:
    return math.ceil(device_op.core_units / _score_chunk(device_op, chip)[0])


def _chunks_of_head(device_op: DeviceOp, chip: ChipDesc) -> int:
    return math.ceil(device_op.dispatch.domain[-2] / _score_chunk(device_op, chip)[0])


def _visible_share(device_op: DeviceOp) -> float:
    return next(op.count for op in device_op.dispatch.work if op.name.startswith("reduce_"))


def _core_keys(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the key tiles of one core; whole chunks if cores share a head."""
    visible, parts, chunk = _visible_keys(device_op, chip), key_parts(device_op, chip), _score_chunk(device_op, chip)[1]
    return visible if parts == 1 else math.ceil(visible / chunk / parts) * chunk


def _visible_keys(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Key tiles that a row of query tiles of the core with the most work visits, on average, whole chunks.

    Cores take chunks of queries in runs, head after head; of causal attention a heavy one with a light one where a head
    has an even number of them, so that all have as much work. Flags of blocks are heeded where 40 % of them are 0
    (`attn_mask_block_map` in the documentation of `ttnn.transformer.scaled_dot_product_attention`).
    """
    chunk, attended = _score_chunk(device_op, chip)[1], scores_of(device_op.op)
    counts = None if attended is None else _visited_chunks(device_op, attended, chip)
    if attended is None or counts is None:
        return math.ceil(device_op.dispatch.steps / chunk) * chunk
    if in_pairs(attended, _chunks_of_head(device_op, chip)) or (attended.is_causal and attended.window):
        return float(counts.mean()) * chunk
    run = _chunks_of_core(device_op, chip)
    heads = np.broadcast_to(counts, (*device_op.op.operands[0].shape[:2], counts.shape[-1])).ravel()
    return float(np.add.reduceat(heads, np.arange(0, len(heads), run)).max()) / run * chunk


def key_parts(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Return the cores that share the keys of one head of one user, each with whole chunks; 1 of other ops."""
    if not isinstance(device_op.op, DecodeAttentionOp):
        return 1
    free = device_op.grid.cores // max(device_op.dispatch.units, 1)
    return max(min(free, _key_chunks(device_op, chip), chip.attention.max_cores_per_head), 1)


def _key_chunks(device_op: DeviceOp, chip: ChipDesc) -> int:
    """Chunks of keys of a head that cores take one after the other."""
    return math.ceil(device_op.dispatch.steps / _score_chunk(device_op, chip)[1])


def _score_chunk(device_op: DeviceOp, chip: ChipDesc) -> tuple[int, int]:
    """Return the tiles of queries and of keys whose scores a core holds at a time."""
    queries, keys = attention_chunks(device_op, chip)
    if not isinstance(device_op.op, DecodeAttentionOp):
        return queries, keys
    config = device_op.config
    said = config.k_chunk_tiles if isinstance(config, AttentionConfig) else None
    if device_op.op.parts[1].shape[2] % TILE:
        said = chunk_tiles(device_op.op)  # the call says it
    return 1, min(said or chip.attention.decode_chunk_tiles, device_op.dispatch.steps)


def _merge_cycles(device_op: DeviceOp, parts: int, chip: ChipDesc) -> float:
    """Return the cycles to add the results of cores that share a head, in a tree reduction.

    A core rescales what is there and what comes, tile by tile, and adds, one result after the other.
    """
    cores = chip.attention.merge_cores
    if parts == 1:
        return 0.0
    merges = 0
    while parts > 1:
        merges += min(parts, cores) - 1
        parts = math.ceil(parts / cores)
    columns = tiles(device_op.op.results[0].shape[-1])
    return merges * (chip.attention.merge_cycles + columns * chip.attention.merge_tile_cycles)


Array = np.ndarray[Any, Any]
_STREAMED = 0.6
"""Share of the flagged blocks above which cores pass keys on to each other instead, and visit all of them."""


def _visited_chunks(device_op: DeviceOp, attended: Attended, chip: ChipDesc) -> Array | None:
    """Return the chunks of keys that each chunk of queries visits, [..., chunks]; None if all."""
    queries, keys = _score_chunk(device_op, chip)
    if attended.is_causal and not (attended.structure or attended.window):
        ends = np.arange(1, _chunks_of_head(device_op, chip) + 1) * queries
        return np.ceil(np.minimum(ends, device_op.dispatch.steps) / keys)
    if (seen := visible_scores(device_op.op)) is None:
        return None
    flags = block_flags(seen, (queries, keys))
    return None if _is_streamed(device_op, flags) else flags.sum(axis=-1)


def _visited_share(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Return the fraction of score chunks that are visited, for which the mask is read."""
    seen = visible_scores(device_op.op)
    chunk = _score_chunk(device_op, chip)
    flags = None if seen is None else block_flags(seen, chunk)
    return 1.0 if flags is None or _is_streamed(device_op, flags) else float(flags.mean())


def _is_streamed(device_op: DeviceOp, flags: Array) -> bool:
    """Return True if there are flags, with too few zeros to skip blocks."""
    op = device_op.op
    return isinstance(op, BlockSparseAttention) and op.block is not None and flags.mean() > _STREAMED


def attention_rereads(device_op: DeviceOp, index: int, which: IndexingMap, chip: ChipDesc) -> float:
    """Keys and values pass by once for each chunk of queries, a mask for each head."""
    if _is_mask(device_op, index):
        return _visited_share(device_op, chip)
    if not set(which.loops).intersection(device_op.dispatch.reductions):
        return 1
    *outer, rows = device_op.dispatch.parallel
    visited = _visible_keys(device_op, chip) / max(device_op.dispatch.steps, 1)
    if rows in which.loops:
        return visited * math.prod(device_op.core_domain[i] for i in outer if i not in which.loops)
    held = math.prod(device_op.core_domain[i] for i in outer if i in which.loops)
    return visited * _chunks_of_core(device_op, chip) / held


def _is_mask(device_op: DeviceOp, index: int) -> bool:
    """Return True if the operand is a mask whose visited blocks are read."""
    return isinstance(device_op.op, BlockSparseAttention) and index in attention_masks(device_op.op)
