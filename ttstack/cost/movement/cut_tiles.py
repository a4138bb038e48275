"""Tiles whose rows come from other tiles: transposes of outer dimensions, reshapes, slices and joins inside tiles."""

import math
from dataclasses import replace

from ttstack.cost.gather import FACE
from ttstack.cost.movement.ends import Ends, width_of
from ttstack.cost.movement.kernel import Kernel, Transfers
from ttstack.cost.movement.sides import side, write_result
from ttstack.cost.transfers import link_kind
from ttstack.ops.types import TILE
from ttstack.system_desc import ChipDesc


def cut_tiles(ends: Ends, chip: ChipDesc, *, by_hand: bool = False, passes: int = 1) -> Kernel:
    """Each tile of the result is put together from the halves of rows that lie in one face.

    They are read one by one where they are needed, in two `passes` where columns come from other tiles too;
    `by_hand`, whole tiles are read and a core copies what it needs.
    """
    t, made = ends.target
    given = ends.source[1]
    filled = t.size / max(made.pages(t), 1)
    run = max(min(width_of(t), FACE), 1)
    kind = link_kind(chip, in_l1=given.in_l1, write=False)
    element = made.dtype.tile_bytes / TILE**2
    if by_hand:
        copied = filled / run * FACE * element / chip.movement.copy_bytes_per_cycle
        tiles = min(_source_tiles(ends), given.pages(ends.source[0]))
        thread = Transfers(kind, tiles, given.dtype.tile_bytes, tiles, copied)
        nbytes = tiles * given.dtype.tile_bytes * ends.pages
    else:
        thread = Transfers(kind, passes * filled / run, run * element)
        nbytes = t.size * element
    read = side((thread,), given, nbytes, ends.grid, ends.cores, chip, write=False)
    if not by_hand:
        read = replace(read, dram_pages=read.dram_pages / 2)  # two halves of a row lie in one page
    written = write_result(ends, 1, made.page_bytes(t), made.nbytes(t), ends.cores, chip)
    return Kernel(ends.cores, ends.core_pages, read, written)


def _source_tiles(ends: Ends) -> float:
    """Tiles of the operand of which a tile of the result has something: as many rows as fill it, or its columns."""
    (given, _), (made, _) = ends.source, ends.target
    high, wide = (min(e, TILE) for e in (1, 1, *made.shape)[-2:])
    width = width_of(given)
    if width == width_of(made):
        return 1 + (high - 1) / min((1, 1, *given.shape)[-2], TILE)
    across = width_of(made) / max(width, 1)
    return max(high * wide / TILE, math.ceil(high / max(across, 1 / high)) / high, 1.0)
