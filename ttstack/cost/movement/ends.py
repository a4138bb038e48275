"""Sources and destinations of an op's data, and its distribution over cores."""

import math
from dataclasses import dataclass
from functools import cached_property

from ttstack.cost.movement.kernel import BankRoute, Link, Side, Transfers
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout
from ttstack.ops.generic import ToLayout
from ttstack.ops.types import TILE, TensorType, tiles

End = tuple[TensorType, Layout]


@dataclass(frozen=True)
class Ends:
    """The tensors that an op reads and the first that it writes."""

    sources: tuple[End, ...]
    target: End
    grid: Grid
    parts: float
    """Number of results, relative to the first."""
    in_place: bool
    """True if an element has the same row and column in the result and the operand."""

    @staticmethod
    def of(device_op: DeviceOp) -> "Ends":
        """Return the ends of an op with at least one result; indices that the host could read do not count."""
        op = device_op.op
        count = len(op.operands)
        sources = tuple(
            (t, layout)
            for i, (t, layout) in enumerate(zip(op.operands, device_op.operands, strict=True))
            if i not in op.host_operands
        )
        target = (device_op.types()[count], device_op.layouts()[count])
        sizes = [nbytes(*end) for end in zip(device_op.types()[count:], device_op.layouts()[count:], strict=True)]
        return Ends(sources, target, device_op.grid, sum(sizes) / max(sizes[0], 1), isinstance(op, ToLayout))

    @cached_property
    def source(self) -> End:
        """Return the largest source."""
        return max(self.sources, key=lambda end: end[1].nbytes(end[0]), default=self.target)

    @property
    def read_link(self) -> Link:
        """The link that `source` is read over."""
        return Link.to(self.source[1], write=False)

    @property
    def write_link(self) -> Link:
        """The link that `target` is written over."""
        return Link.to(self.target[1], write=True)

    @cached_property
    def reads_own(self) -> bool:
        """Return True if each core reads its own shard, and no other core writes it."""
        if len(self.sources) != 1 or not _is_own(self.source[1], self.grid):
            return False
        return not self.writes_own or (self.in_place and self.source[1].memory_layout == self.target[1].memory_layout)

    @cached_property
    def writes_own(self) -> bool:
        """Return True if each core writes its own shard."""
        return _is_own(self.target[1], self.grid)

    @property
    def same_shards(self) -> bool:
        """Return True if result and operand are on the same cores, in the same layout."""
        return self.reads_own and self.writes_own and self.source[1] == self.target[1]

    @property
    def converts(self) -> bool:
        """Return True if values change their format."""
        return any(layout.dtype != self.target[1].dtype for _, layout in self.sources)

    @property
    def divided(self) -> End:
        """Return the tensor by which cores share the work: the operand if they read their own, otherwise the result."""
        return self.source if self.reads_own else self.target

    @cached_property
    def pages(self) -> int:
        """Return the number of moved pages, or of row parts if shards split them."""
        t, layout = self.divided
        return max(round(layout.pages(t) * self.parts), 1) * self.row_parts

    @cached_property
    def row_parts(self) -> int:
        """Return the number of cores that share one row of elements, if shards split rows."""
        t, layout = self.divided
        if layout.tiled or layout.grid is None:
            return 1
        return min(layout.memory_layout.cuts(layout.grid)[1], width_of(t))

    @cached_property
    def core_pages(self) -> int:
        """Pages of the core with the most."""
        t, layout = self.divided
        if self.reads_own or self.writes_own:
            return math.ceil(math.prod(layout.shard(t)) * self.parts)
        return -(-self.pages // self.grid.cores)

    @property
    def core_tiles(self) -> tuple[int, int]:
        """Return the rows of tiles, and the tiles in each, of the largest shard."""
        t, layout = self.divided
        high, wide = layout.shard(t)
        if layout.tiled:
            return high, wide
        return tiles(high), -(-tiles(width_of(t)) // self.row_parts)

    @property
    def cores(self) -> int:
        """Cores that move any page."""
        return min(self.grid.cores, -(-self.pages // max(self.core_pages, 1)))

    @property
    def written_bytes(self) -> float:
        """Bytes of the result, whole pages."""
        return nbytes(*self.target) * self.parts

    @property
    def read_bytes(self) -> float:
        """Bytes of the operands that are read: as many elements as the result has, in the operands' format."""
        whole = sum(nbytes(t, layout) for t, layout in self.sources)
        return min(whole, self.written_bytes * self.source[1].dtype.tile_bytes / self.target[1].dtype.tile_bytes)


def nbytes(t: TensorType, layout: Layout) -> float:
    """Return the bytes that move of a tensor: whole tiles, or its rows."""
    return layout.nbytes(t) if layout.tiled else t.size * layout.dtype.row_major_bytes


def width_of(t: TensorType) -> int:
    """Return the elements of a row."""
    return (1, *t.shape)[-1]


def tile_rows(end: End) -> tuple[int, int]:
    """Return the rows of tiles of a tensor, and tiles in each."""
    shape = (1, 1, *end[0].shape)
    return math.prod(shape[:-2]) * tiles(shape[-2]), tiles(shape[-1])


def tile_height(t: TensorType) -> float:
    """Return the rows of elements in a row of tiles, those that fill it left out."""
    height = (1, 1, *t.shape)[-2]
    return height / max(tiles(height), 1)


def is_padded(t: TensorType) -> bool:
    """Return True if the matrix ends within a tile."""
    return any(extent % TILE for extent in (1, 1, *t.shape)[-2:])


def _is_own(layout: Layout, grid: Grid) -> bool:
    return layout.in_l1 and layout.sharded and layout.grid == grid


def write_result(
    ends: Ends, count: float, size: float, nbytes: float, cores: int, *, waits: float = 1.0, work: float = 0.0
) -> Side:
    """Return the writes of `nbytes` by `cores`, in `count` transactions of `size` per block; 0 for data in place."""
    if ends.writes_own:
        return Side()
    return side((Transfers(ends.write_link, count, size, waits, work),), ends, nbytes, cores, write=True)


def side(
    threads: tuple[Transfers, ...],
    ends: Ends,
    nbytes: float,
    cores: int,
    *,
    write: bool,
) -> Side:
    """`nbytes` between `cores` of the grid and the memory of the source, or of the target."""
    layout = (ends.target if write else ends.source)[1]
    size = max(t.size for t in threads)
    if cores == 1 and layout.in_l1:
        return Side(threads, noc_bytes=nbytes)
    if write and not layout.in_l1:
        return Side(threads, nbytes, nbytes / max(size, 1.0), nbytes)
    route = BankRoute(layout, ends.grid, cores, write)
    if layout.in_l1:
        return Side(threads, noc_bytes=nbytes, route=route)
    return Side(threads, nbytes, nbytes / max(size, 1.0), nbytes, route)
