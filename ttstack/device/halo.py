"""What a window slides over, as the cores hold it: each the pixels that its own windows see, padding included."""

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
    """Pixels of the core that has the most of each."""

    held: int
    """That its windows see, from the first to the last, padding included."""
    own: int
    """Those of them that lie in its own share of the input."""
    taken: int
    """Those of them that lie in the shares of other cores."""


@dataclass(frozen=True)
class Halo:
    """The copy of a windowed operand that a core has in its L1, as tt-metal's halo op leaves it: pixels in rows.

    An operand that is not sharded as the op runs is brought in slices, one for each output block of the core.
    """

    sliding: Sliding
    reach: Reach
    """The pixels that one slice sees."""
    slices: int
    channels: int
    """Channels of each pixel, on one core."""
    element: float
    """Bytes of one element."""

    @staticmethod
    @once_for_each_op
    def of(device_op: DeviceOp) -> "Halo | None":
        """As configured; None where no window slides over an operand, or each sees one pixel and none is left out."""
        return Halo.of_block(device_op, None if has_own_shards(device_op) else _block(device_op.config))

    @staticmethod
    def of_block(device_op: DeviceOp, block: int | None) -> "Halo | None":
        """For output blocks of `block` tiles of pixels, of all that a core has where None."""
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
        """Bytes of the pixels that lie side by side in the input as in the copy: a row of an image."""
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
        """Bytes of the windows of `rows` rows of tiles, brought one by one where they are far apart."""
        return ceil(rows * TILE * self.sliding.taps * self.pixel_bytes)


def _block(config: ProgramConfig | None) -> int | None:
    """Tiles of pixels in an output block, where the configuration says."""
    return config.out_block_h if isinstance(config, MatmulConfig | WindowConfig) else None


def has_own_shards(device_op: DeviceOp) -> bool:
    """Return True if the library reshards this convolution and computes it window by window.

    Windows that do not overlap are folded into channels, those of one pixel are a product; volumes have their own.
    """
    op = device_op.op
    if not isinstance(op, Convolution) or isinstance(op, Conv3d) or not is_contraction(device_op.dispatch):
        return False
    return not lie_side_by_side(op.sliding) and device_op.spread in SPREADS.values()


def lie_side_by_side(sliding: Sliding) -> bool:
    """Return True if one window sees each pixel, such as of patches: the library folds those of an image in DRAM."""
    return all(
        w.kernel == w.stride and w.dilation == 1 and not (w.low or w.high) and gap == 1
        for w, gap in zip(sliding.windows, sliding.apart, strict=True)
    )


def holds_shard(device_op: DeviceOp, layout: Layout) -> bool:
    """Return True if the core that works on a shard of the result holds the same shard of the windowed operand."""
    placed = layout.in_l1 and layout.sharded and layout.grid == device_op.grid
    return placed and SPREADS.get(layout.memory_layout) is device_op.spread


def channel_pieces(device_op: DeviceOp) -> int:
    """Parts into which the channels of a windowed operand are cut, each held by a core of its own.

    Pools keep the channels that they reduce; cores of a convolution get those of the others as blocks of windows.
    """
    op, domain = device_op.op, device_op.dispatch.domain
    assert isinstance(op, WindowOp), op.mnemonic
    if not is_contraction(device_op.dispatch):
        return -(-domain[1] // max(device_op.core_domain[1], 1))
    cores = {Spread.BLOCKS: device_op.grid.cols, Spread.COLUMNS: device_op.grid.cores}.get(device_op.spread, 1)
    return shares(max(tiles(op.sliding.channels), 1), cores)


def _own_pixels(device_op: DeviceOp, sliding: Sliding, layout: Layout, rows: int) -> int:
    """Pixels of the input that are a core's own: those of its shard, else its part of all of them."""
    if holds_shard(device_op, layout):
        return layout.shard(device_op.op.operands[0])[0] * TILE
    pixels = sliding.batch * prod(map(_extent, sliding.windows, sliding.apart))
    return -(-pixels * rows // max(device_op.dispatch.domain[0], 1))


@lru_cache(maxsize=4096)
def _widest(sliding: Sliding, pixels: int, own: int) -> Reach:
    """Return the reach of cores that have `pixels` of the result each, and `own` of the input."""
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
    """The first result of each core or slice; of very many, those at the start and at the edge of an image."""
    starts = range(0, results, pixels)
    if len(starts) <= _MANY:
        return starts
    edge = results // max(sliding.batch, 1) // pixels
    return [*starts[: _MANY // 2], *starts[max(edge - _MANY // 4, 0) : edge + _MANY // 4]]


_MANY = 1024
"""Slices up to which each is looked at; all others are like their neighbours."""


def _position(windows: Sequence[Window], result: int) -> int:
    """Where the window of a result starts, counted over the padded images in their order."""
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
    """Pixels of the input that come before a position of the padded images."""
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
    """Positions along an axis."""
    return window.size + window.low + window.high + window.overhang


def _extent(window: Window, apart: int) -> int:
    """Elements of the input along an axis."""
    return -(-window.size // apart)


def _elements_before(window: Window, apart: int, position: int) -> int:
    """Elements of the input that come before a position along an axis."""
    return min(max(-(-(position - window.low) // apart), 0), _extent(window, apart))
