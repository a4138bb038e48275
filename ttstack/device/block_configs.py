"""Block sizes of ops that keep rows, attention scores, or windows in a core."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from ttstack.device.circular_buffers.rowwise import norm_block
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import attention_chunks
from ttstack.device.halo import Halo, holds_shard
from ttstack.device.kernel_class import divides_rows, is_attention, is_rowwise
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.device.program_config import AttentionConfig, MatmulConfig, ProgramConfig, RowwiseConfig, WindowConfig
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.normalization import GroupNorm
from ttstack.system_desc import ChipDesc


def block_configs(device_op: DeviceOp, chip: ChipDesc) -> Iterator[ProgramConfig | None]:
    """Yield configurations from the most L1 to the least; the op's own if there is no choice.

    Those of matmuls are in `ttstack.device.matmul.configs`.
    """
    dispatch = device_op.dispatch
    sums = device_op.config.sums if isinstance(device_op.config, RowwiseConfig) else None
    if isinstance(device_op.op, BlockSparseAttention) and device_op.op.block:
        yield AttentionConfig(*device_op.op.block)
    elif isinstance(device_op.op, DecodeAttentionOp):
        yield device_op.config  # the library's choice
    elif is_attention(dispatch):
        yield from _chunks(*attention_chunks(replace(device_op, config=None), chip))
    elif divides_rows(device_op.op):
        yield RowwiseConfig(min(norm_block(device_op, chip), device_op.core_steps), sums)
    elif isinstance(device_op.op, GroupNorm):
        yield device_op.config  # a core has its shard whole
    elif is_rowwise(dispatch):
        yield from (RowwiseConfig(block, sums) for block in _halves(device_op.core_steps))
    elif Halo.of(device_op) and not holds_shard(device_op, device_op.operands[0]):
        yield from (WindowConfig(block) for block in _halves(device_op.core_domain[0]))
    else:
        yield device_op.config


def whole_config(device_op: DeviceOp) -> ProgramConfig | None:
    """Return the configuration with its defaults, which are one block of everything, filled in."""
    if not isinstance(device_op.config, MatmulConfig):
        return device_op.config
    blocks = MatmulBlocks.of(device_op)
    return replace(device_op.config, out_block_h=blocks.out_block_h, out_block_w=blocks.out_block_w)


def _chunks(query: int, keys: int) -> Iterator[AttentionConfig]:
    pairs = product(_halves(query), _halves(keys))
    yield from (AttentionConfig(*pair) for pair in sorted(pairs, key=lambda pair: (-math.prod(pair), pair)))


def _halves(extent: int) -> Iterator[int]:
    while extent > 1:
        yield extent
        extent = -(-extent // 2)
    yield 1
