"""Rows that become tiles: a row of tiles at a time, of which every core has some."""

from ttstack.cost.movement.ends import Ends, is_padded, nbytes, tile_height, tile_rows, width_of
from ttstack.cost.movement.kernel import Kernel, Side, Transfers
from ttstack.cost.movement.sides import side, write_result
from ttstack.cost.transfers import link_kind
from ttstack.ops.types import TILE
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.movement import TilePaddingDesc


def tilize(ends: Ends, chip: ChipDesc) -> Kernel:
    """Each row is one read; where the matrix ends within a tile, a core waits for each row and fills up the rest."""
    t, given = ends.source
    made = ends.target[1]
    high, wide = tile_rows(ends.source)
    if ends.writes_own or ends.reads_own:
        (blocks, wide), cores = ends.core_tiles, ends.cores
    else:
        blocks = -(-high // ends.grid.cores)
        cores = -(-high // blocks)
    rows, row = min(tile_height(t), TILE), width_of(t) * given.dtype.row_major_bytes
    read = Side()
    if not ends.reads_own and is_padded(t) and cores == 1 and chip.movement.tile_padding:
        return _tile_by_tile(ends, chip.movement.tile_padding, chip)
    if not ends.reads_own:
        filled = wide * TILE * TILE * given.dtype.row_major_bytes - rows * row if is_padded(t) else 0.0
        kind = link_kind(chip, in_l1=given.in_l1, write=False)
        thread = Transfers(kind, rows, row, rows if is_padded(t) else 1.0, filled / chip.riscv.store_bytes_per_cycle)
        read = side((thread,), given, rows * row * high, ends.grid, cores, chip, write=False)
    waits = max(wide / chip.movement.pages_in_flight, 1.0)
    write = write_result(ends, wide, made.page_bytes(t), made.nbytes(t), cores, chip, waits=waits)
    return Kernel(cores, blocks, read, write, wide * chip.movement.tilize_cycles)


def _tile_by_tile(ends: Ends, padding: TilePaddingDesc, chip: ChipDesc) -> Kernel:
    t, given = ends.source
    high, wide = tile_rows(ends.source)
    kind = link_kind(chip, in_l1=given.in_l1, write=False)
    work = padding.tile_cycles + tile_height(t) * padding.row_cycles
    read = Side((Transfers(kind, 0.0, given.page_bytes(t), 0.0, work),), 0.0 if given.in_l1 else nbytes(t, given))
    return Kernel(1, high * wide, read, math=chip.movement.tilize_cycles)
