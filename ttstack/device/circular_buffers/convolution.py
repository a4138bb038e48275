"""Circular buffers of convolutions whose windows overlap, and the shards that they make on the way."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.halo import Halo, holds_shard
from ttstack.device.layout import Grid, shares
from ttstack.ops.conv import Convolution
from ttstack.ops.types import TILE, DType, tiles
from ttstack.ops.windows import Sliding
from ttstack.system_desc import ChipDesc

_DOUBLE = 2
_SPLIT = 4
"""Rows of tiles of a block from which on two threads read windows of height shards."""
_RUN_BYTES = 4
"""Bytes that tell where a run of result pixels starts and ends, and as many before each list of them."""
_SCRATCH = 64


@dataclass(frozen=True)
class ConvolutionBuffers:
    """tt-metal's halo, then the products of windows with all weights that a core has, a block of pixels at a time."""

    sliding: Sliding
    spread: Spread
    formats: tuple[DType, ...]
    """Those of operands, then that of the result."""
    rows: int
    """Rows of tiles of the result of a core."""
    channels: int
    """Tiles of channels of the input of a core."""
    across: int
    """Cores that the sums over channels are spread over."""
    shared: bool
    """Whether cores send each other what they multiply, by channels."""
    columns: int
    """Tiles of channels of the result of a core."""
    own_input: int
    """Bytes of the shard that the input is brought into; 0 where it lies in it."""
    own_result: int
    """Bytes of the shard that the result is made in, where it leaves from there."""
    halo: int
    """Bytes of the pixels that the windows of a core see, as rows."""

    @staticmethod
    def of(device_op: DeviceOp, chip: ChipDesc) -> "ConvolutionBuffers":
        """For the op's formats, layouts and cores."""
        op, source, result = device_op.op, device_op.operands[0], device_op.results[0]
        assert isinstance(op, Convolution), op.mnemonic
        sliding, (down, across) = op.sliding, _cores(device_op)
        rows, halo = max(device_op.core_domain[0], 1), Halo.of(device_op)
        channels = -(-tiles(sliding.channels) // across)
        columns = -(-tiles(op.out_channels) // _result_columns(device_op, across, chip))
        pixels = op.operands[0].size // max(sliding.channels, 1)
        shard = -(-tiles(pixels) // down) * channels * source.dtype.tile_bytes
        result_bytes = rows * columns * result.dtype.tile_bytes
        return ConvolutionBuffers(
            sliding=sliding,
            spread=device_op.spread,
            formats=tuple(layout.dtype for layout in device_op.layouts()),
            rows=rows,
            channels=channels,
            across=across if device_op.spread is Spread.BLOCKS else -(-tiles(sliding.channels) // channels),
            shared=channels < tiles(sliding.channels) or columns < tiles(op.out_channels),
            columns=columns,
            own_input=0 if holds_shard(device_op, source) else shard,
            own_result=0 if holds_shard(device_op, result) else result_bytes,
            halo=(halo.reach.held if halo else 0) * channels * TILE * _plain(source.dtype).row_major_bytes,
        )

    def nbytes(self, height: int, width: int, depth: int, k_blocks: int) -> int:  # noqa: ARG002  blocks are its own
        """Bytes of buffers and shards on a core, in blocks of `height` rows of tiles."""
        before = self._halo_buffers + self.own_input + self.halo
        return max(before, self.product_bytes(height))

    def product_bytes(self, height: int) -> int:
        """Bytes of buffers and shards on a core once windows lie where they are multiplied."""
        return self._products(height) + self.halo + self.own_result

    def buffers(self, height: int) -> int:
        """Bytes of circular buffers alone."""
        return max(self._halo_buffers, self._products(height))

    @property
    def _halo_buffers(self) -> int:
        """Tiles of the input as rows, and two pixels of padding."""
        plain = _plain(self.formats[0])
        rows = 2 * _DOUBLE * self.channels * plain.tile_bytes
        return rows + _DOUBLE * self.channels * TILE * plain.row_major_bytes

    @property
    def _row(self) -> int:
        """Tiles of a row of a window, or of a whole one where cores have channels."""
        windows = self.sliding.windows
        taps = self.sliding.taps if self.spread is Spread.COLUMNS else windows[-1].kernel
        return taps * self.channels

    def _products(self, height: int) -> int:
        source, weight, *extra, result = self.formats
        plain, block = _plain(source), height * self._row
        read = block * source.tile_bytes  # tiles that are multiplied, made of rows of windows
        if self.spread is Spread.COLUMNS:
            sent = read if self.shared else 0
            seen = sent + _DOUBLE * self._row * plain.tile_bytes
        elif self.spread is Spread.BLOCKS:
            seen = read + (block * plain.tile_bytes if plain is not source else 0)
        else:
            seen = block * plain.tile_bytes
        whole = self.spread is Spread.ROWS and height < self.rows
        depth = self.sliding.taps * self.channels if whole else self._row
        sums = DType.F32 if result is DType.F32 else DType.BF16
        adds = self._steps > (1 if extra else _DOUBLE)
        partial = height * self.columns * sums.tile_bytes if adds and result.tile_bytes < sums.tile_bytes else 0
        bias = self.columns * sum(dtype.tile_bytes for dtype in extra)
        weights = depth * self.columns * weight.tile_bytes
        return read + seen + weights + partial + bias + self._indices(height) + _SCRATCH

    @property
    def _steps(self) -> int:
        """Blocks that the sum over windows and channels is made in."""
        rows = 1 if self.spread is Spread.COLUMNS else self.sliding.taps // self.sliding.windows[-1].kernel
        return self.across * rows

    def _indices(self, height: int) -> int:
        return _indices(self.sliding, self.spread, self.rows, height)


def lists_too_many_runs(device_op: DeviceOp) -> bool:
    """Return True if a core has more rows of result images than its list has room for: one for two pixels."""
    op, rows = device_op.op, max(device_op.core_domain[0], 1)
    assert isinstance(op, Convolution), op.mnemonic
    return _indices(op.sliding, device_op.spread, rows, rows) > TILE * rows * _RUN_BYTES // 2


def keeps_columns(device_op: DeviceOp) -> bool:
    """Return True if the cores of the result's block shards compute it: one shard each, as of the input in L1."""
    op, result = device_op.op, device_op.results[0]
    assert isinstance(op, Convolution), op.mnemonic
    pixels, down = tiles(op.operands[0].size // max(op.sliding.channels, 1)), device_op.grid.rows
    return (
        device_op.spread is Spread.BLOCKS
        and device_op.operands[0].in_l1
        and holds_shard(device_op, result)
        and result.fills(op.results[0])
        and shares(pixels, down) == down
    )


def input_cores(device_op: DeviceOp) -> Grid | None:
    """The cores that the input is brought to; None where those that have channels are no rectangle."""
    op, grid = device_op.op, device_op.grid
    assert isinstance(op, Convolution), op.mnemonic
    if device_op.spread is not Spread.COLUMNS:
        return grid
    count = shares(tiles(op.sliding.channels), grid.cores)
    if count <= grid.cols:
        return Grid(1, count)
    return None if count % grid.cols else Grid(count // grid.cols, grid.cols)


def _plain(dtype: DType) -> DType:
    return DType.BF16 if dtype.is_block else dtype


def _cores(device_op: DeviceOp) -> tuple[int, int]:
    """Cores that pixels are spread over, and channels."""
    grid = device_op.grid
    match device_op.spread:
        case Spread.BLOCKS:
            return grid.rows, grid.cols
        case Spread.COLUMNS:
            return 1, grid.cores
        case _:
            return grid.cores, 1


def _result_columns(device_op: DeviceOp, across: int, chip: ChipDesc) -> int:
    """Cores that channels of the result are spread over: as they divide them, or those of an input in L1."""
    op, device = device_op.op, Grid(*chip.grid)
    assert isinstance(op, Convolution), op.mnemonic
    if device_op.spread is Spread.ROWS or keeps_columns(device_op):
        return across
    return shares(tiles(op.out_channels), device.cols if device_op.spread is Spread.BLOCKS else device.cores)


def _indices(sliding: Sliding, spread: Spread, rows: int, height: int) -> int:
    """Bytes of the list of runs of a core's `rows` rows of tiles, in blocks of `height`."""
    first = (height + 1) // 2
    split = height > 1 if spread is Spread.BLOCKS else height >= _SPLIT and spread is Spread.ROWS
    counts = [w.count for w in sliding.windows]
    pixels = sliding.batch * math.prod(counts)
    return _index_bytes(pixels, counts[-1], rows, (first, height - first) if split else (height,))


@lru_cache(maxsize=4096)
def _index_bytes(pixels: int, width: int, rows: int, parts: tuple[int, ...]) -> int:
    """Bytes of the list of runs of result pixels of a core, those of a row of an image, for each part of a block."""
    return max(_RUN_BYTES * sum(_runs(start, pixels, width, rows, parts)) for start in range(0, pixels, rows * TILE))


def _runs(start: int, pixels: int, width: int, rows: int, parts: tuple[int, ...]) -> Iterator[int]:
    """Entries for each part of each block of the core whose first pixel is `start`."""
    end = start + rows * TILE
    while start < end:
        for part in parts:
            last = min(start + part * TILE, end, pixels) - 1
            yield 1 + (last // width - start // width + 1 if last >= start else 0)
            start += part * TILE
