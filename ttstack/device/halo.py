"""Halo: the pixels that a core's own windows need, with padding."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod

from ttstack.device.device_op import SPREADS, DeviceOp, Spread, once_for_each_op
from ttstack.device.kernel_class import is_contraction
from ttstack.device.layout import Layout, shares
from ttstack.device.program_config import MatmulConfig, ProgramConfig, WindowConfig
from ttstack.ops.conv import Conv3d, Convolution
from ttstack.ops.types import TILE, tiles
from ttstack.ops.windows import Sliding, Window, WindowOp


@dataclass(frozen=True)
class Reach:
    """The maximum pixels of any core, by kind."""

    held: int
    """Pixels in its windows, from the first to the last, with padding."""
    own: int
    """Pixels from its own share of the input."""
    taken: int
    """Pixels from the shares of other cores."""


@dataclass(frozen=True)
class Halo:
    """A core's L1 copy of a windowed operand, as from tt-metal's halo op: pixels in rows.

    An operand without suitable shards is copied in slices, one for each output block of the core.
    """

    sliding: Sliding
    reach: Reach
    """The pixels of one slice."""
    slices: int
    channels: int
    """Number of channels of each pixel on one core."""
    element: float
    """Bytes of one element."""

    @staticmethod
    @once_for_each_op
    def of(device_op: DeviceOp) -> "Halo | None":
        """Return the configured halo; None without windows, or if each output pixel needs only one input pixel."""
        return Halo.of_block(device_op, None if has_own_shards(device_op) else _block(device_op.config))

    @staticmethod
    def of_block(device_op: DeviceOp, block: int | None) -> "Halo | None":
        """Return the halo for output blocks of `block` tiles of pixels; of all of a core's for None."""
        op = device_op.op
        if not isinstance(op, WindowOp) or op.sliding.is_pointwise:
            return None
        sliding, layout, whole = op.sliding, device_op.operands[0], max(device_op.core_domain[0], 1)
        rows = whole if holds_shard(device_op, layout) else block or whole
        return Halo(
            sliding=sliding,
            reach=_widest(sliding, rows * TILE, _own_pixels(device_op, sliding, layout, rows)),
            slices=-(-whole // rows),
            channels=-(-sliding.channels // channel_pieces(device_op)),
            element=layout.dtype.tile_bytes / TILE**2,
        )

    @property
    def row_bytes(self) -> float:
        """Bytes of pixels that are contiguous in input and copy: a row of an image."""
        return _extent(self.sliding.windows[-1], self.sliding.apart[-1]) * self.pixel_bytes

    @property
    def pixel_bytes(self) -> float:
        """Bytes of one pixel on one core."""
        return self.channels * self.element

    @property
    def nbytes(self) -> int:
        """Bytes of the copy."""
        return ceil(self.reach.held * self.pixel_bytes)

    def window_bytes(self, rows: int) -> int:
        """Return the bytes of the windows of `rows` rows of tiles, copied one by one if far apart."""
        return ceil(rows * TILE * self.sliding.taps * self.pixel_bytes)


def _block(config: ProgramConfig | None) -> int | None:
    """Return the tiles of pixels in an output block, if configured."""
    return config.out_block_h if isinstance(config, MatmulConfig | WindowConfig) else None


def has_own_shards(device_op: DeviceOp) -> bool:
    """Return True if the library reshards this convolution and computes it window by window.

    Windows without overlap are folded into channels, and those of one pixel are a matmul; volumes have another kernel.
    """
    op = device_op.op
    if not isinstance(op, Convolution) or isinstance(op, Conv3d) or not is_contraction(device_op.dispatch):
        return False
    return not lie_side_by_side(op.sliding) and device_op.spread in SPREADS.values()


def lie_side_by_side(sliding: Sliding) -> bool:
    """Return True if each pixel is in one window, as for patches: the library folds those of an image in DRAM."""
    return all(
        w.kernel == w.stride and w.dilation == 1 and not (w.low or w.high) and gap == 1
        for w, gap in zip(sliding.windows, sliding.apart, strict=True)
    )


def holds_shard(device_op: DeviceOp, layout: Layout) -> bool:
    """Return True if the core of a result shard has the same shard of the windowed operand."""
    placed = layout.in_l1 and layout.sharded and layout.grid == device_op.grid
    return placed and SPREADS.get(layout.memory_layout) is device_op.spread


def channel_pieces(device_op: DeviceOp) -> int:
    """Return the parts of a windowed operand's channels, each on a separate core.

    Pools keep their channels; cores of a convolution get others' channels as blocks of windows.
    """
    op, domain = device_op.op, device_op.dispatch.domain
    assert isinstance(op, WindowOp), op.mnemonic
    if not is_contraction(device_op.dispatch):
        return -(-domain[1] // max(device_op.core_domain[1], 1))
    cores = {Spread.BLOCKS: device_op.grid.cols, Spread.COLUMNS: device_op.grid.cores}.get(device_op.spread, 1)
    return shares(max(tiles(op.sliding.channels), 1), cores)


def _own_pixels(device_op: DeviceOp, sliding: Sliding, layout: Layout, rows: int) -> int:
    """Return the input pixels of a core: those of its shard, or its part of all."""
    if holds_shard(device_op, layout):
        return layout.shard(device_op.op.operands[0])[0] * TILE
    pixels = sliding.batch * prod(map(_extent, sliding.windows, sliding.apart))
    return -(-pixels * rows // max(device_op.dispatch.domain[0], 1))


@lru_cache(maxsize=4096)
def _widest(sliding: Sliding, pixels: int, own: int) -> Reach:
    """Return the reach of cores with `pixels` of the result and `own` of the input each."""
    windows = sliding.windows
    results = sliding.batch * prod(w.count for w in windows)
    span = _position_of([w.extent - 1 for w in windows], windows) + 1
    seen = near = fetched = 0
    for first in _slices(sliding, results, pixels):
        last = min(first + pixels, results) - 1
        start, end = _position(windows, first), _position(windows, last) + span
        low, high = _pixels_before(sliding, start), _pixels_before(sliding, end)
        core = first // pixels
        kept = max(0, min(high, (core + 1) * own) - max(low, core * own))
        seen, near, fetched = max(seen, end - start), max(near, kept), max(fetched, high - low - kept)
    return Reach(seen, near, fetched)


def _slices(sliding: Sliding, results: int, pixels: int) -> Sequence[int]:
    """Return the first result of each core or slice; of very many, those at the start and at the edge of an image."""
    starts = range(0, results, pixels)
    if len(starts) <= _MANY:
        return starts
    edge = results // max(sliding.batch, 1) // pixels
    return [*starts[: _MANY // 2], *starts[max(edge - _MANY // 4, 0) : edge + _MANY // 4]]


_MANY = 1024
"""Maximum number of analyzed slices; the others are like their neighbours."""


def _position(windows: Sequence[Window], result: int) -> int:
    """Return the start of a result's window, counted over the padded images in order."""
    steps: list[int] = []
    for window in reversed(windows):
        result, index = divmod(result, window.count)
        steps.append(index * window.stride)
    return result * prod(map(_padded, windows)) + _position_of(steps[::-1], windows)


def _position_of(steps: Sequence[int], windows: Sequence[Window]) -> int:
    position = 0
    for step, window in zip(steps, windows, strict=True):
        position = position * _padded(window) + step
    return position


def _pixels_before(sliding: Sliding, position: int) -> int:
    """Return the input pixels before a position of the padded images."""
    windows, extents = sliding.windows, list(map(_extent, sliding.windows, sliding.apart))
    pixels, rest = divmod(position, prod(map(_padded, windows)))
    for i, (window, apart) in enumerate(zip(windows, sliding.apart, strict=True)):
        index, rest = divmod(rest, prod(map(_padded, windows[i + 1 :])))
        before = _elements_before(window, apart, index)
        pixels = pixels * extents[i] + before
        if _elements_before(window, apart, index + 1) == before:  # padding, or zeros between elements
            return pixels * prod(extents[i + 1 :])
    return pixels


def _padded(window: Window) -> int:
    """Return the positions along an axis."""
    return window.size + window.low + window.high + window.overhang


def _extent(window: Window, apart: int) -> int:
    """Return the input elements along an axis."""
    return -(-window.size // apart)


def _elements_before(window: Window, apart: int, position: int) -> int:
    """Return the input elements before a position along an axis."""
    return min(max(-(-(position - window.low) // apart), 0), _extent(window, apart))
