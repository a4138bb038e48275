"""Layouts of tensors in memory: pages, shards, and bytes in each bank."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from ttstack.ops.types import TILE, DType, ElementType, QuantType, TensorType, tiles

ROW_ALIGNMENT = 32
"""Bytes to which a row-major page is rounded up (NoC and DRAM alignment of tt-metal)."""


class MemorySpace(StrEnum):
    """The memory that holds a buffer."""

    DRAM = "dram"
    L1 = "l1"
    SYSTEM_MEMORY = "system_memory"
    """The host's memory, for tensors that only go to the devices of a mesh, or come from there."""


@dataclass(frozen=True, order=True)
class Grid:
    """A rectangle of cores."""

    rows: int
    cols: int

    @property
    def cores(self) -> int:
        """Number of cores."""
        return self.rows * self.cols

    def fits(self, other: "Grid") -> bool:
        """Return True if this rectangle is within `other`."""
        return self.rows <= other.rows and self.cols <= other.cols

    def parts(self) -> "Iterator[Grid]":
        """Return all rectangles that fit within, by rows, then by columns."""
        return (Grid(rows, cols) for rows in range(1, self.rows + 1) for cols in range(1, self.cols + 1))

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}"


class MemoryLayout(StrEnum):
    """The distribution of a buffer's pages over the banks of its memory.

    The type checker finds all places that a new kind needs.
    """

    INTERLEAVED = "interleaved"
    HEIGHT_SHARDED = "height_sharded"
    WIDTH_SHARDED = "width_sharded"
    BLOCK_SHARDED = "block_sharded"
    REPLICATED = "replicated"
    """All pages on each core."""

    @cached_property
    def takes_grid(self) -> bool:
        """True if a grid of cores has shards or copies."""
        match self:
            case (
                MemoryLayout.HEIGHT_SHARDED
                | MemoryLayout.WIDTH_SHARDED
                | MemoryLayout.BLOCK_SHARDED
                | MemoryLayout.REPLICATED
            ):
                return True
            case MemoryLayout.INTERLEAVED:
                return False

    @property
    def over_banks(self) -> bool:
        """True if the grid can be banks of DRAM."""
        match self:
            case MemoryLayout.HEIGHT_SHARDED | MemoryLayout.WIDTH_SHARDED:
                return True
            case MemoryLayout.BLOCK_SHARDED | MemoryLayout.REPLICATED | MemoryLayout.INTERLEAVED:
                return False

    @property
    def takes_rows(self) -> bool:
        """True if row-major tensors can have this layout in L1."""
        match self:
            case MemoryLayout.HEIGHT_SHARDED | MemoryLayout.REPLICATED | MemoryLayout.INTERLEAVED:
                return True
            case MemoryLayout.WIDTH_SHARDED | MemoryLayout.BLOCK_SHARDED:
                return False

    def cuts(self, grid: Grid) -> tuple[int, int]:
        """Return the numbers of parts of a tensor's rows and columns."""
        match self:
            case MemoryLayout.HEIGHT_SHARDED:
                return grid.cores, 1
            case MemoryLayout.WIDTH_SHARDED:
                return 1, grid.cores
            case MemoryLayout.BLOCK_SHARDED:
                return grid.rows, grid.cols
            case MemoryLayout.REPLICATED | MemoryLayout.INTERLEAVED:
                return 1, 1


@dataclass(frozen=True)
class Layout:
    """Element format, tiling, memory and sharding of a tensor.

    A tensor is a matrix here: its last dimension by all dimensions before it, with the last two padded to tiles if
    `tiled`. Interleaved pages (a tile, or a row) go round the banks. Each core of `grid` has one shard, in row-major
    order of the cores for height and width sharding, or a copy if replicated. In DRAM, `grid` is a row of banks.
    """

    dtype: DType
    tiled: bool = True
    memory_space: MemorySpace = MemorySpace.DRAM
    memory_layout: MemoryLayout = MemoryLayout.INTERLEAVED
    grid: Grid | None = None
    filters: bool = False
    """Whether the tensor is the weight matrix of a convolution: its first dimension in columns, all others in rows."""

    @property
    def sharded(self) -> bool:
        """True if each core of `grid` has one shard, or a copy."""
        return self.memory_layout.takes_grid

    @property
    def in_l1(self) -> bool:
        """Return True if the buffer is in the cores' own memory."""
        return self.memory_space is MemorySpace.L1

    @property
    def on_host(self) -> bool:
        """True if the tensor is only on the host."""
        return self.memory_space is MemorySpace.SYSTEM_MEMORY

    def interleave(self, space: MemorySpace) -> "Layout":
        """Return the same format, interleaved over the banks of `space`."""
        return replace(self, memory_space=space, memory_layout=MemoryLayout.INTERLEAVED, grid=None)

    def matrix(self, t: TensorType) -> tuple[int, int]:
        """Return rows and columns of the tensor in pages: in tiles if tiled, otherwise in rows of elements."""
        lead, height, width = self._collapse(t)
        return (lead * tiles(height), tiles(width)) if self.tiled else (lead * height, 1)

    def page_bytes(self, t: TensorType) -> int:
        """Bytes of one page."""
        if self.tiled:
            return self.dtype.tile_bytes
        row = self._collapse(t)[2] * self.dtype.row_major_bytes
        return -(-row // ROW_ALIGNMENT) * ROW_ALIGNMENT

    def pages(self, t: TensorType) -> int:
        """Number of pages."""
        return math.prod(self.matrix(t))

    def nbytes(self, t: TensorType) -> int:
        """Return the bytes of all pages, with padding."""
        return self.pages(t) * self.page_bytes(t)

    def shard(self, t: TensorType) -> tuple[int, int]:
        """Return rows and columns of pages on the fullest core."""
        rows, cols = self.matrix(t)
        down, across = self.memory_layout.cuts(self.grid or Grid(1, 1))
        return -(-rows // down), -(-cols // across)

    def fills(self, t: TensorType) -> bool:
        """Return True if each core of `grid` has a shard, and for all layouts without shards."""
        (rows, cols), (height, width) = self.matrix(t), self.shard(t)
        pieces = -(-rows // max(height, 1)), -(-cols // max(width, 1))
        return self.grid is None or pieces == self.memory_layout.cuts(self.grid)

    def bank_bytes(self, t: TensorType, banks: int) -> int:
        """Return the bytes in the fullest of `banks` banks (cores for L1, channels for DRAM); 0 on the host."""
        if self.on_host:
            return 0
        if self.sharded:
            return math.prod(self.shard(t)) * self.page_bytes(t)
        return -(-self.pages(t) // max(banks, 1)) * self.page_bytes(t)

    def fault(self, device: Grid, banks: int) -> str | None:
        """Return the reason why a device with these cores and DRAM banks does not support the layout, or None."""
        if self.dtype.is_block and not self.tiled:
            return f"{self.dtype} needs tiles"
        if self.sharded != (self.grid is not None):
            return f"{self.memory_layout} {'needs a' if self.sharded else 'takes no'} grid"
        return None if self.grid is None else self._shard_fault(self.grid, device, banks)

    def _shard_fault(self, grid: Grid, device: Grid, banks: int) -> str | None:
        if not self.in_l1:
            over_banks = self.memory_layout.over_banks and grid.fits(Grid(1, banks))
            return None if over_banks else f"DRAM holds height or width shards, one in each of {banks} banks"
        if not grid.fits(device):
            return f"grid {grid} is larger than the device's {device}"
        if not (self.tiled or self.memory_layout.takes_rows):
            return f"row-major tensors are not {self.memory_layout}"
        return None

    def _collapse(self, t: TensorType) -> tuple[int, int, int]:
        return (1, math.prod(t.shape[1:]), t.shape[0]) if self.filters and t.rank else _collapse(t)

    def __str__(self) -> str:
        shape = f"{self.memory_space}/{self.memory_layout}" + (f"@{self.grid}" if self.grid else "")
        return f"{self.dtype} {'tile' if self.tiled else 'row_major'}{' filters' if self.filters else ''} {shape}"


def same_matrix(a: TensorType, b: TensorType) -> bool:
    """Return True if two shapes of the same elements are the same tiled matrix, so that one buffer serves both."""
    (lead_a, height_a, width_a), (lead_b, height_b, width_b) = _collapse(a), _collapse(b)
    if a.size != b.size or width_a != width_b:
        return False
    whole = height_a % TILE == 0 and height_b % TILE == 0
    return whole or (lead_a, height_a) == (lead_b, height_b)


def storage(dtype: ElementType, wanted: DType | None = None) -> DType:
    """Return the device format of elements of `dtype`; `wanted` replaces formats of real numbers.

    The device has no 64-bit types and no 16-bit signed integers, and stores bools as bf16. It stores quantized values
    as 32-bit integers, as from tt-metal's quantize.
    """
    if isinstance(dtype, QuantType):
        return DType.UI32 if dtype.storage is DType.UI32 else DType.SI32
    if dtype.is_float:
        return wanted or (DType.F32 if dtype is DType.F64 else dtype)
    if dtype is DType.I1:
        return DType.BF16
    if dtype in (DType.UI8, DType.UI16, DType.UI32):
        return dtype
    return DType.UI32 if dtype is DType.UI64 else DType.SI32


def shares(count: int, most: int) -> int:
    """Return the number of cores with work if all but the last have equal shares, as the library divides pixels."""
    return -(-count // -(-count // most))


def _collapse(t: TensorType) -> tuple[int, int, int]:
    """Return (product of leading extents, height, width)."""
    shape = t.shape if len(t.shape) > 1 else (1,) * (2 - len(t.shape)) + t.shape
    return math.prod(shape[:-2]), shape[-2], shape[-1]
