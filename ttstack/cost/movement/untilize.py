"""Tiles that become rows: a row of tiles at a time, of which every core has some."""

from ttstack.cost.movement.ends import Ends, is_padded, tile_height, tile_rows, width_of
from ttstack.cost.movement.kernel import Kernel, Side, Transfers
from ttstack.cost.movement.sides import side, write_result
from ttstack.cost.transfers import link_kind
from ttstack.ops.types import TILE
from ttstack.system_desc import ChipDesc

PACKED = 8
"""Tiles of a row up to which the packer writes rows by itself; wider ones go through Dst tile by tile."""


def untilize(ends: Ends, chip: ChipDesc) -> Kernel:
    """Each row is one write; where the matrix ends within a tile, a core waits for each of them.

    A reader waits for each tile, but for those of a shard, which it asks for a row of tiles at a time.
    """
    t, given = ends.source
    made = ends.target[1]
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
        kind = link_kind(chip, in_l1=given.in_l1, write=False)
        thread = Transfers(kind, wide, given.page_bytes(t), 1.0 if ends.writes_own else wide)
        read = side((thread,), given, given.nbytes(t), ends.grid, cores, chip, write=False)
    rows = min(tile_height(t), TILE)
    row = min(width_of(t), wide * TILE) * made.dtype.row_major_bytes
    nbytes = t.size * made.dtype.row_major_bytes
    write = write_result(ends, rows, row, nbytes, cores, chip, waits=rows if is_padded(t) else 1.0)
    return Kernel(cores, blocks, read, write, untilize_cycles(wide, chip))


def untilize_cycles(wide: float, chip: ChipDesc) -> float:
    """Cycles of the math units for a row of `wide` tiles."""
    movement = chip.movement
    if wide > PACKED:
        return wide * movement.wide_untilize_cycles
    return movement.untilize_row_cycles + wide * movement.untilize_cycles
