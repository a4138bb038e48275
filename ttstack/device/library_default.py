"""The defaults of `ttnn` for an op without memory and block options."""

import math
from collections.abc import Iterator
from dataclasses import replace

from ttstack.device.circular_buffers.convolution import ConvolutionBuffers
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.footprint import footprint
from ttstack.device.halo import has_own_shards
from ttstack.device.kernel_class import is_attention, is_batched, is_contraction, is_product
from ttstack.device.layout import Grid, MemorySpace, shares
from ttstack.device.matmul.configs import spread_configs
from ttstack.device.matmul.default import default_matmul
from ttstack.device.program_config import AttentionConfig
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.ops.conv import Conv1d, Conv2d, Convolution
from ttstack.ops.types import tiles
from ttstack.system_desc import ChipDesc

DEFAULT_NAME = "ttnn's default"
"""The name of the default among the alternatives of an op."""
_CHUNK_TILES = 1
"""Tiles of queries, and of keys, that attention processes at a time."""


def library_default(base: DeviceOp, chip: ChipDesc) -> DeviceOp | None:
    """Return the op as the library runs it on tensors interleaved in DRAM, with its own choice of blocks.

    `base` is the op placed there, on its usual cores. None is returned if the library uses several steps (batched
    matmuls with separate operands one after another, large images in slices, adjacent windows as a fold and a matmul),
    if its choice is unknown (volumes and transposed convolutions), and if the op does not fit L1.
    """
    if any(layout.sharded or layout.memory_space is not MemorySpace.DRAM for layout in base.layouts()):
        return None
    configured: DeviceOp | None = base
    if isinstance(base.op, BlockSparseAttention):
        configured = None  # blocks of flags are those of a configuration
    elif is_attention(base.dispatch):
        configured = replace(base, config=AttentionConfig(_CHUNK_TILES, _CHUNK_TILES))
    elif is_product(base.op):
        lead = math.prod(base.op.operands[0].shape[:-2])
        configured = None if is_batched(base.dispatch) else default_matmul(_everywhere(base, chip), chip, lead=lead)
    elif isinstance(base.op, Conv1d | Conv2d) and is_contraction(base.dispatch):
        pointwise = base.op.sliding.is_pointwise
        configured = default_matmul(_everywhere(base, chip), chip) if pointwise else default_convolution(base, chip)
    elif isinstance(base.op, Convolution):
        configured = None
    return configured if configured and footprint(configured, chip) <= chip.l1_usable_bytes else None


def _everywhere(base: DeviceOp, chip: ChipDesc) -> DeviceOp:
    return replace(base, grid=Grid(*chip.grid), config=None)


def default_convolution(base: DeviceOp, chip: ChipDesc) -> DeviceOp | None:
    """Return the convolution with the library's choice of shards and blocks; None if it slices the image.

    `base` has its tensors interleaved in DRAM. Two reshapes before it, for images whose rows are not whole tiles, are
    not counted. Pointwise convolutions are matmuls, and not supported here.
    """
    candidates = [candidate for candidate in _candidates(base, Grid(*chip.grid)) if has_own_shards(candidate)]
    if not candidates:
        return None
    least = min(candidates, key=lambda candidate: _bytes(candidate, chip))
    config = next((c for c in spread_configs(least, chip) if c.out_block_h is None), None)
    return replace(least, config=config) if config else None


def _bytes(candidate: DeviceOp, chip: ChipDesc) -> int:
    """Return the bytes that a core holds at once, with its pixels in one block."""
    buffers = ConvolutionBuffers.of(candidate, chip)
    return buffers.product_bytes(buffers.rows)


def _candidates(base: DeviceOp, device: Grid) -> Iterator[DeviceOp]:
    """Yield divisions by pixels, by pixels and channels, and by channels; the first of equal ones wins."""
    op = base.op
    assert isinstance(op, Convolution), op.mnemonic
    pixels, channels = tiles(_result_pixels(op)), (tiles(op.sliding.channels), tiles(op.out_channels))
    yield replace(base, grid=_rectangle(shares(pixels, device.cores), device), spread=Spread.ROWS)
    blocks = Grid(shares(pixels, device.rows), max(shares(c, device.cols) for c in channels))
    if blocks.cores >= device.cols:
        yield replace(base, grid=blocks, spread=Spread.BLOCKS)
    columns = max(shares(c, device.cores) for c in channels)
    yield replace(base, grid=_rectangle(columns, device), spread=Spread.COLUMNS)


def _result_pixels(op: Convolution) -> int:
    return op.sliding.batch * math.prod(window.count for window in op.sliding.windows)


def _rectangle(cores: int, device: Grid) -> Grid:
    """Return rows of the device, the last of which may be partly used."""
    return Grid(-(-cores // device.cols), min(cores, device.cols))
