"""Circular buffers of convolutions with overlapping windows, and the shards that they create."""

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
"""Minimum rows of tiles of a block for two threads to read windows of height shards."""
_RUN_BYTES = 4
"""Bytes of the start and end of a run of result pixels, and of the header of each list."""
_SCRATCH = 64


@dataclass(frozen=True)
class ConvolutionBuffers:
    """The buffers of tt-metal's halo, then of matmuls of windows with a core's weights by blocks of pixels."""

    sliding: Sliding
    spread: Spread
    formats: tuple[DType, ...]
    """Formats of the operands, then of the result."""
    rows: int
    """Rows of result tiles of a core."""
    channels: int
    """Tiles of input channels of a core."""
    across: int
    """Number of cores that share sums over channels."""
    shared: bool
    """Whether cores send each other their operands, by channels."""
    columns: int
    """Tiles of result channels of a core."""
    own_input: int
    """Bytes of the shard that the input is copied to; 0 if it is already there."""
    own_result: int
    """Bytes of the shard of the result, if it is copied from there."""
    halo: int
    """Bytes of the pixels in a core's windows, as rows."""

    @staticmethod
    def of(device_op: DeviceOp, chip: ChipDesc) -> "ConvolutionBuffers":
        """Create it from the op's formats, layouts and cores."""
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
        """Return the bytes of buffers and shards on a core, with blocks of `height` rows of tiles."""
        before = self._halo_buffers + self.own_input + self.halo
        return max(before, self.product_bytes(height))

    def product_bytes(self, height: int) -> int:
        """Return the bytes of buffers and shards on a core after windows are in place."""
        return self._products(height) + self.halo + self.own_result

    def buffers(self, height: int) -> int:
        """Return the bytes of circular buffers alone."""
        return max(self._halo_buffers, self._products(height))

    @property
    def _halo_buffers(self) -> int:
        """Bytes of input tiles as rows, and of two pixels of padding."""
        plain = _plain(self.formats[0])
        rows = 2 * _DOUBLE * self.channels * plain.tile_bytes
        return rows + _DOUBLE * self.channels * TILE * plain.row_major_bytes

    @property
    def _row(self) -> int:
        """Tiles of a row of a window, or of a full window if channels are divided over cores."""
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
        """Number of blocks of the sum over windows and channels."""
        rows = 1 if self.spread is Spread.COLUMNS else self.sliding.taps // self.sliding.windows[-1].kernel
        return self.across * rows

    def _indices(self, height: int) -> int:
        return _indices(self.sliding, self.spread, self.rows, height)


def lists_too_many_runs(device_op: DeviceOp) -> bool:
    """Return True if a core has more rows of result images than its list supports: one for two pixels."""
    op, rows = device_op.op, max(device_op.core_domain[0], 1)
    assert isinstance(op, Convolution), op.mnemonic
    return _indices(op.sliding, device_op.spread, rows, rows) > TILE * rows * _RUN_BYTES // 2


def keeps_columns(device_op: DeviceOp) -> bool:
    """Return True if the cores of the result's block shards compute it, with one shard each, also for an L1 input."""
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
    """Return the cores that the input is copied to; None if cores by channels are not a rectangle."""
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
    """Return the numbers of cores that pixels and channels are divided over."""
    grid = device_op.grid
    match device_op.spread:
        case Spread.BLOCKS:
            return grid.rows, grid.cols
        case Spread.COLUMNS:
            return 1, grid.cores
        case _:
            return grid.cores, 1


def _result_columns(device_op: DeviceOp, across: int, chip: ChipDesc) -> int:
    """Return the cores that result channels are divided over: by even division, or those of an L1 input."""
    op, device = device_op.op, Grid(*chip.grid)
    assert isinstance(op, Convolution), op.mnemonic
    if device_op.spread is Spread.ROWS or keeps_columns(device_op):
        return across
    return shares(tiles(op.out_channels), device.cols if device_op.spread is Spread.BLOCKS else device.cores)


def _indices(sliding: Sliding, spread: Spread, rows: int, height: int) -> int:
    """Return the bytes of the run list of a core's `rows` rows of tiles, in blocks of `height`."""
    first = (height + 1) // 2
    split = height > 1 if spread is Spread.BLOCKS else height >= _SPLIT and spread is Spread.ROWS
    counts = [w.count for w in sliding.windows]
    pixels = sliding.batch * math.prod(counts)
    return _index_bytes(pixels, counts[-1], rows, (first, height - first) if split else (height,))


@lru_cache(maxsize=4096)
def _index_bytes(pixels: int, width: int, rows: int, parts: tuple[int, ...]) -> int:
    """Return the bytes of a core's list of runs of result pixels, for each part of a block."""
    return max(_RUN_BYTES * sum(_runs(start, pixels, width, rows, parts)) for start in range(0, pixels, rows * TILE))


def _runs(start: int, pixels: int, width: int, rows: int, parts: tuple[int, ...]) -> Iterator[int]:
    """Yield the entries for each part of each block of the core whose first pixel is `start`."""
    end = start + rows * TILE
    while start < end:
        for part in parts:
            last = min(start + part * TILE, end, pixels) - 1
            yield 1 + (last // width - start // width + 1 if last >= start else 0)
            start += part * TILE
