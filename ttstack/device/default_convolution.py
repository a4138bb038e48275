"""The shards that `ttnn` brings a convolution of images in DRAM into when nobody says which.

It takes the kind of shards of which a core needs the fewest bytes, as `ttnn` 0.81.1 shows on mock boards.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from ttstack.device.convolution_buffers import ConvolutionBuffers
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.halo import has_own_shards
from ttstack.device.layout import Grid, shares
from ttstack.device.matmul_configs import spread_configs
from ttstack.ops.conv import Convolution
from ttstack.ops.types import tiles
from ttstack.system_desc import ChipDesc


def default_convolution(base: DeviceOp, chip: ChipDesc) -> DeviceOp | None:
    """The convolution in the shards and blocks of the library's choice; None where it takes the image in slices.

    `base` has its tensors interleaved in DRAM. Not counted are two reshapes before, of images whose rows are no whole
    tiles. Windows of one pixel, of which none is left out, are a product, and are not for here.
    """
    ways = [way for way in _ways(base, Grid(*chip.grid)) if has_own_shards(way)]
    if not ways:
        return None
    least = min(ways, key=lambda way: _bytes(way, chip))
    config = next((c for c in spread_configs(least, chip) if c.out_block_h is None), None)
    return replace(least, config=config) if config else None


def _bytes(way: DeviceOp, chip: ChipDesc) -> int:
    """What a core holds at once, its pixels in one block."""
    buffers = ConvolutionBuffers.of(way, chip)
    return buffers.product_bytes(buffers.rows)


def _ways(base: DeviceOp, device: Grid) -> Iterator[DeviceOp]:
    """By pixels, by pixels and channels, and by channels: in that order, the first of equal ones is taken."""
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
    """Rows of the device, the last of which may be filled in part."""
    return Grid(-(-cores // device.cols), min(cores, device.cols))
