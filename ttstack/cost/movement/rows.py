"""Tensors in rows: slices, joins and reorderings of what is not in tiles, a row at a time."""

from ttstack.cost.movement.ends import Ends, width_of
from ttstack.cost.movement.kernel import Kernel, Side, Transfers
from ttstack.cost.movement.sides import side, write_result
from ttstack.cost.transfers import link_kind
from ttstack.ops.types import TILE, tiles
from ttstack.system_desc import ChipDesc


def move_rows(ends: Ends, chip: ChipDesc) -> Kernel:
    """Rows of the result, each from a run of the operand: where runs are shorter, a core copies element by element."""
    t, made = ends.target
    source, given = ends.source
    row = width_of(t) * made.dtype.row_major_bytes
    run = width_of(source) * given.dtype.row_major_bytes
    index = chip.gather.index_cycles
    same = row == run or len(ends.sources) > 1 or source.size != t.size
    work = index if same else row * chip.movement.element_cycles / made.dtype.row_major_bytes
    kind = link_kind(chip, in_l1=given.in_l1, write=False)
    read = Side()
    if not ends.reads_own:
        thread = Transfers(kind, max(row / run, 1.0) if not same else 1.0, min(row, run), 0.0 if same else 1.0, work)
        read = side((thread,), given, row * ends.pages, ends.grid, ends.cores, chip, write=False)
    waits = 0.0 if same else 1.0
    written = write_result(ends, 1, row, row * ends.pages, ends.cores, chip, waits=waits, work=index)
    return Kernel(ends.cores, ends.core_pages, read, written)


def turn_rows(ends: Ends, chip: ChipDesc) -> Kernel:
    """Rows that become columns, in blocks of a tile, which the math units turn."""
    (source, given), (_, made) = ends.source, ends.target
    wide = tiles(width_of(source))
    blocks = tiles(source.size // max(width_of(source), 1)) * wide
    each = -(-blocks // ends.grid.cores)
    cores, element = -(-blocks // each), made.dtype.row_major_bytes
    width = width_of(source) / wide
    kind = link_kind(chip, in_l1=given.in_l1, write=False)
    moved = source.size * element
    taken = side((Transfers(kind, TILE, width * element),), given, moved, ends.grid, cores, chip, write=False)
    kind = link_kind(chip, in_l1=made.in_l1, write=True)
    put = side((Transfers(kind, width, TILE * element),), made, moved, ends.grid, cores, chip, write=True)
    return Kernel(cores, each, taken, put, chip.movement.tilize_cycles)
