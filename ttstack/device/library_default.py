"""What `ttnn` does with an op whose caller says nothing of memories and blocks."""

import math
from dataclasses import replace

from ttstack.device.configs.attention import AttentionConfig
from ttstack.device.default_product import default_product
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import footprint
from ttstack.device.kernel_class import is_attention, is_batched, is_contraction, is_product
from ttstack.device.layout import Grid, MemorySpace
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.system_desc import ChipDesc

DEFAULT_NAME = "ttnn's default"
"""The name of this way where all ways to place an op are listed."""

_CHUNK_TILES = 1
"""Tiles of queries, and of keys, that attention takes at a time."""


def library_default(base: DeviceOp, chip: ChipDesc) -> DeviceOp | None:
    """The op as the library runs it on tensors that lie interleaved in DRAM, in blocks that it chooses itself.

    `base` is the op placed so, on the cores that it usually has. None where the library's choice is not known, which
    is that of convolutions and of products of batches with factors of their own, or does not fit L1.
    """
    if any(layout.sharded or layout.memory_space is not MemorySpace.DRAM for layout in base.layouts()):
        return None
    found: DeviceOp | None = base
    if isinstance(base.op, BlockSparseAttention):
        found = None  # blocks of flags are those of a configuration
    elif is_attention(base.dispatch):
        found = replace(base, config=AttentionConfig(_CHUNK_TILES, _CHUNK_TILES))
    elif is_product(base.op):
        everywhere = replace(base, grid=Grid(*chip.grid), config=None)
        found = (
            None
            if is_batched(base.dispatch)
            else default_product(everywhere, chip, lead=math.prod(base.op.operands[0].shape[:-2]))
        )
    elif is_contraction(base.dispatch):
        found = None
    return found if found and footprint(found, chip) <= chip.l1_usable_bytes else None
