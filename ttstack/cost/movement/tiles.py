"""Rows that become tiles, tiles that become rows, and tiles whose rows come from other tiles."""

import math
from dataclasses import dataclass, replace

from ttstack.cost.data.gather import FACE
from ttstack.cost.movement.ends import (
    End,
    Ends,
    is_padded,
    nbytes,
    side,
    tile_height,
    tile_rows,
    width_of,
    write_result,
)
from ttstack.cost.movement.kernel import Kernel, Side, Transfers
from ttstack.ops.types import TILE, tiles
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.movement import TilePaddingDesc


def tilize(ends: Ends, chip: ChipDesc) -> Kernel:
    """Return the kernel with one read per row. If the matrix ends within a tile, cores wait per row and pad.

    Wide matrices whose rows of tiles are fewer than the cores are divided into squares; a core then waits for its part
    of each row.
    """
    t, rows_layout = ends.source
    tiled, padding = ends.target[1], chip.movement.tile_padding
    high, wide = tile_rows(ends.source)
    awaited, squares = is_padded(t), None if padding else _squares(ends.source, chip)
    if ends.writes_own or ends.reads_own:
        (blocks, wide), cores = ends.core_tiles, ends.cores
    elif squares is not None:
        awaited, cores = True, squares.cores
        blocks, wide = squares.blocks, squares.side
    else:
        blocks = -(-high // ends.grid.cores)
        cores = -(-high // blocks)
    if not ends.reads_own and awaited and cores == 1 and padding:
        return _tile_by_tile(ends, padding, chip)
    read, element = Side(), rows_layout.dtype.row_major_bytes
    if not ends.reads_own:
        rows, row = min(tile_height(t), TILE), min(width_of(t), wide * TILE) * element
        filled = wide * TILE * TILE * element - rows * row if is_padded(t) else 0.0
        waits = rows if awaited else 1.0
        thread = Transfers(ends.read_link, rows, row, waits, filled / chip.riscv.store_bytes_per_cycle)
        read = side((thread,), ends, nbytes(t, rows_layout), cores, write=False)
    waits = max(wide / chip.movement.pages_in_flight, 1.0)
    write = write_result(ends, wide, tiled.page_bytes(t), tiled.nbytes(t), cores, waits=waits)
    return Kernel(cores, blocks, read, write, wide * chip.movement.tilize_cycles)


@dataclass(frozen=True, slots=True)
class _Squares:
    """Parts of a matrix that cores make tiles of, each the same part of all matrices."""

    cores: int
    side: int
    """Tiles of a square's row."""
    blocks: int
    """Rows of tiles of a core, in all matrices."""


_WIDE = 32
"""Tiles of a row up to which rows of tiles are not divided."""


def _squares(source: End, chip: ChipDesc) -> _Squares | None:
    """Return the smallest squares, fewer than the chip's cores; None if rows of tiles use as many cores.

    As `compute_ncores_wh` of tt-metal's `work_split_tilize.hpp` divides the last two dimensions.
    """
    all_high, wide = tile_rows(source)
    high, count = tiles((1, 1, *source[0].shape)[-2]), chip.num_cores
    if wide <= _WIDE or (high <= _WIDE and wide <= high):
        return None
    least = math.isqrt(max(-(-high * wide // count), 1) - 1) + 1
    side = next((n for n in range(least, max(high, wide) + 1) if -(-wide // n) * -(-high // n) < count), None)
    if side is None:
        return None
    cores, rows_each = -(-wide // side) * -(-high // side), -(-all_high // count)
    if -(-all_high // rows_each) >= cores:
        return None
    return _Squares(cores, side, min(side, high) * (all_high // high))


def _tile_by_tile(ends: Ends, padding: TilePaddingDesc, chip: ChipDesc) -> Kernel:
    t, layout = ends.source
    high, wide = tile_rows(ends.source)
    work = padding.tile_cycles + tile_height(t) * padding.row_cycles
    read = Side(
        (Transfers(ends.read_link, 0.0, layout.page_bytes(t), 0.0, work),), 0.0 if layout.in_l1 else nbytes(t, layout)
    )
    return Kernel(1, high * wide, read, math=chip.movement.tilize_cycles)


PACKED = 8
"""Maximum tiles of a row that the packer untilizes itself; wider ones go through Dst tile by tile."""


def untilize(ends: Ends, chip: ChipDesc) -> Kernel:
    """Return the kernel with one write per row. If the matrix ends within a tile, a core waits for each row.

    A reader waits for each tile, but for those of a shard, which it asks for a row of tiles at a time.
    """
    t, tiled = ends.source
    rows_layout = ends.target[1]
    high, wide = tile_rows(ends.source)
    if ends.reads_own or ends.writes_own:
        (blocks, wide), cores = ends.core_tiles, ends.cores
    elif high == 1:
        each = min(wide, PACKED)
        blocks = -(-wide // each // ends.grid.cores)
        cores, wide = -(-wide // each // blocks), each
    else:
        blocks = -(-high // ends.grid.cores)
        cores = -(-high // blocks)
    read = Side()
    if not ends.reads_own:
        thread = Transfers(ends.read_link, wide, tiled.page_bytes(t), 1.0 if ends.writes_own else wide)
        read = side((thread,), ends, tiled.nbytes(t), cores, write=False)
    rows = min(tile_height(t), TILE)
    row = min(width_of(t), wide * TILE) * rows_layout.dtype.row_major_bytes
    nbytes = t.size * rows_layout.dtype.row_major_bytes
    write = write_result(ends, rows, row, nbytes, cores, waits=rows if is_padded(t) else 1.0)
    return Kernel(cores, blocks, read, write, untilize_cycles(wide, chip))


def untilize_cycles(wide: float, chip: ChipDesc) -> float:
    """Return the cycles of the math units for a row of `wide` tiles."""
    movement = chip.movement
    if wide > PACKED:
        return wide * movement.wide_untilize_cycles
    return movement.untilize_row_cycles + wide * movement.untilize_cycles


def cut_tiles(ends: Ends, chip: ChipDesc, *, by_hand: bool = False, passes: int = 1) -> Kernel:
    """Return the kernel that builds each result tile from the half rows of its faces.

    They are read one by one where they are needed, in two `passes` where columns come from other tiles too;
    `by_hand`, whole tiles are read and a core copies what it needs.
    """
    t, layout = ends.target
    source_layout = ends.source[1]
    filled = t.size / max(layout.pages(t), 1)
    run = max(min(width_of(t), FACE), 1)
    element = layout.dtype.tile_bytes / TILE**2
    if by_hand:
        copied = filled / run * FACE * element / chip.movement.copy_bytes_per_cycle
        sources = min(_source_tiles(ends), source_layout.pages(ends.source[0]))
        thread = Transfers(ends.read_link, sources, source_layout.dtype.tile_bytes, sources, copied)
        nbytes = sources * source_layout.dtype.tile_bytes * ends.pages
    else:
        thread = Transfers(ends.read_link, passes * filled / run, run * element)
        nbytes = t.size * element
    read = side((thread,), ends, nbytes, ends.cores, write=False)
    if not by_hand:
        read = replace(read, dram_pages=read.dram_pages / 2)  # two halves of a row lie in one page
    written = write_result(ends, 1, layout.page_bytes(t), layout.nbytes(t), ends.cores)
    return Kernel(ends.cores, ends.core_pages, read, written)


def _source_tiles(ends: Ends) -> float:
    """Return the operand tiles with data of one result tile: as many rows as fill it, or its columns."""
    (operand, _), (result, _) = ends.source, ends.target
    high, wide = (min(e, TILE) for e in (1, 1, *result.shape)[-2:])
    width = width_of(operand)
    if width == width_of(result):
        return 1 + (high - 1) / min((1, 1, *operand.shape)[-2], TILE)
    across = width_of(result) / max(width, 1)
    return max(high * wide / TILE, math.ceil(high / max(across, 1 / high)) / high, 1.0)


def move_tile_rows(ends: Ends, chip: ChipDesc, *, transposed: bool) -> Kernel:
    """Return the kernel that reads whole tiles and writes each half row to its target.

    tt-metal's permute where one dimension of tiles stays together (`MultiCoreTileRowInvariant`); of tiles that are
    transposed first, columns are what is written.
    """
    t, layout = ends.source
    pages, element = layout.pages(t), layout.dtype.tile_bytes / TILE**2
    blocks = -(-pages // ends.grid.cores)
    cores, rows, row = -(-pages // max(blocks, 1)), tile_height(t), width_of(t) / max(tiles(width_of(t)), 1)
    if transposed:
        rows, row = row, rows
    faces = max(math.ceil(row / FACE), 1)
    halves = Transfers(ends.write_link, rows * faces, min(row, FACE) * element)
    read = side((Transfers(ends.read_link, 1, layout.dtype.tile_bytes),), ends, layout.nbytes(t), cores, write=False)
    write = side((halves,), ends, halves.count * halves.size * pages, cores, write=True)
    write = replace(write, dram_pages=write.dram_pages / faces)  # the halves of a row lie in one page
    return Kernel(cores, blocks, read, write, chip.matrix.copy_cycles(layout.dtype.bits) if transposed else 0.0)
