"""What `ttnn` does with an op whose caller says nothing of memories and blocks."""

import math
from dataclasses import replace

from ttstack.device.configs.attention import AttentionConfig
from ttstack.device.default_convolution import default_convolution
from ttstack.device.default_product import default_product
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import footprint
from ttstack.device.kernel_class import is_attention, is_batched, is_contraction, is_product
from ttstack.device.layout import Grid, MemorySpace
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.ops.conv import Conv1d, Conv2d, Convolution
from ttstack.system_desc import ChipDesc

DEFAULT_NAME = "ttnn's default"
"""The name of this way where all ways to place an op are listed."""

_CHUNK_TILES = 1
"""Tiles of queries, and of keys, that attention takes at a time."""


def library_default(base: DeviceOp, chip: ChipDesc) -> DeviceOp | None:
    """The op as the library runs it on tensors that lie interleaved in DRAM, in blocks that it chooses itself.

    `base` is the op placed so, on the cores that it usually has. None where the library takes more than one step:
    products of batches with factors of their own one after the other, large images in slices, windows that lie side by
    side as a fold and a product; where its choice is not known, as of volumes and transposed convolutions; and where it
    does not fit L1.
    """
    if any(layout.sharded or layout.memory_space is not MemorySpace.DRAM for layout in base.layouts()):
        return None
    found: DeviceOp | None = base
    if isinstance(base.op, BlockSparseAttention):
        found = None  # blocks of flags are those of a configuration
    elif is_attention(base.dispatch):
        found = replace(base, config=AttentionConfig(_CHUNK_TILES, _CHUNK_TILES))
    elif is_product(base.op):
        lead = math.prod(base.op.operands[0].shape[:-2])
        found = None if is_batched(base.dispatch) else default_product(_everywhere(base, chip), chip, lead=lead)
    elif isinstance(base.op, Conv1d | Conv2d) and is_contraction(base.dispatch):
        pointwise = base.op.sliding.is_pointwise
        found = default_product(_everywhere(base, chip), chip) if pointwise else default_convolution(base, chip)
    elif isinstance(base.op, Convolution):
        found = None
    return found if found and footprint(found, chip) <= chip.l1_usable_bytes else None


def _everywhere(base: DeviceOp, chip: ChipDesc) -> DeviceOp:
    return replace(base, grid=Grid(*chip.grid), config=None)
