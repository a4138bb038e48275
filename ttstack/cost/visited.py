"""Chunks of scores that attention visits where a mask, known before the run, leaves nothing of the others."""

import math
from typing import Any

import numpy as np

from ttstack.cost.key_split import score_chunk
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import scores_of, visible_scores
from ttstack.ops.block_sparse import BlockSparseAttention, block_flags
from ttstack.system_desc import ChipDesc

Array = np.ndarray[Any, Any]

_STREAMED = 0.6
"""Share of the flagged blocks above which cores pass keys on to each other instead, and visit all of them."""


def visited_keys(device_op: DeviceOp, chip: ChipDesc) -> float | None:
    """Key tiles that a row of query tiles of the core with the most work visits, whole chunks.

    None where all are visited, and of causal attention without a window, whose half is measured. Cores take chunks of
    queries in runs, head after head; of causal attention a heavy one with a light one, so that all have as much work.
    Flags of blocks are heeded where 40 % of them are 0 (`attn_mask_block_map` in the documentation of
    `ttnn.transformer.scaled_dot_product_attention`).
    """
    op, attended = device_op.op, scores_of(device_op.op)
    seen = None if attended is None or not (attended.structure or attended.window) else visible_scores(op)
    if attended is None or seen is None:
        return None
    queries, keys = score_chunk(device_op, chip)
    flags = block_flags(seen, (queries, keys))
    if _is_streamed(device_op, flags):
        return None
    counts = np.broadcast_to(flags.sum(axis=-1), (*op.operands[0].shape[:2], flags.shape[2])).ravel()
    run = math.ceil(len(counts) / max(device_op.cores, 1))
    if attended.is_causal and attended.window:
        return float(counts.mean()) * keys
    busiest = np.add.reduceat(counts, np.arange(0, len(counts), run)).max()
    return float(busiest) / run * keys


def visited_share(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Share of all chunks of scores that are visited, of which the mask is read."""
    seen = visible_scores(device_op.op)
    flags = None if seen is None else block_flags(seen, score_chunk(device_op, chip))
    return 1.0 if flags is None or _is_streamed(device_op, flags) else float(flags.mean())


def _is_streamed(device_op: DeviceOp, flags: Array) -> bool:
    """Whether flags are there, and too few of them 0 to be heeded."""
    op = device_op.op
    return isinstance(op, BlockSparseAttention) and op.block is not None and flags.mean() > _STREAMED
