"""Conversion between columns of a matrix and a dimension of heads, for whole tiles or for rows within tiles."""

import math

from ttstack.cost.movement.ends import Ends, side, tile_height, tile_rows, write_result
from ttstack.cost.movement.kernel import Kernel, Link, Side, Transfers
from ttstack.ops.attention import ConcatenateHeads, HeadMovement, SplitQueryKeyValueAndSplitHeads
from ttstack.ops.types import TILE, tiles
from ttstack.system_desc import ChipDesc


def move_heads(ends: Ends, op: HeadMovement, chip: ChipDesc) -> Kernel:
    """Heads of whole tiles: a core waits for as many at a time as divide a head, joined ones for the head.

    Cores share heads that are joined, or split where there are fewer rows of tiles than cores; else whole rows. Keys
    that are transposed come tile by tile.
    """
    width, joined = tiles(op.apart.shape[-1]), isinstance(op, ConcatenateHeads)
    if joined and ends.source[1].sharded:
        return _within_shards(ends, width, chip)
    rows, _ = tile_rows(ends.target if joined else ends.source)
    one_by_one = chip.movement.head_tiles == 1 or _transposes(op)
    by_heads = not one_by_one and (joined or rows < ends.grid.cores)
    unit = width if by_heads else ends.pages / rows
    pages = unit * math.ceil(ends.pages / unit / ends.grid.cores)
    cores = math.ceil(ends.pages / pages)
    at_once = 1 if one_by_one else width if joined else math.gcd(width, chip.movement.head_tiles)
    read = Transfers(ends.read_link, at_once, ends.read_bytes / ends.pages)
    size, waits = ends.written_bytes / ends.pages, at_once if joined else 1.0
    written = Transfers(ends.write_link, at_once, size, waits)
    return Kernel(
        cores,
        pages / at_once,
        side((read,), ends, ends.read_bytes, cores, write=False),
        side((written,), ends, ends.written_bytes, cores, write=True),
    )


def _transposes(op: HeadMovement) -> bool:
    return isinstance(op, SplitQueryKeyValueAndSplitHeads) and op.transpose_key


def _within_shards(ends: Ends, width: int, chip: ChipDesc) -> Kernel:
    """Return the rows of a core's own heads side by side: both threads copy half of them each, and wait once."""
    size = width * ends.target[1].page_bytes(ends.target[0])
    runs = ends.core_pages / width
    local = Transfers(Link.LOCAL, runs / chip.noc.num_nocs, size)
    return Kernel(ends.cores, 1, read=Side((local,), noc_bytes=runs * size * ends.cores))


def cut_heads(ends: Ends, chip: ChipDesc, *, split: bool) -> Kernel:
    """Heads of few rows: both threads of a core take half of each, and wait for each head that they split off.

    A row of a tile is two runs, one in each of two faces, at addresses that are worked out together. Where the cores of
    all other heads are, each works out first, as for a further operand.
    """
    t, layout = ends.target
    high, wide = ends.core_tiles if ends.writes_own else tile_rows(ends.target)
    blocks = high if ends.writes_own else -(-high // ends.grid.cores)
    cores = ends.cores if ends.writes_own else -(-high // blocks)
    element = layout.dtype.tile_bytes / TILE**2
    rows = tile_height(t) * wide / 2
    thread = Transfers(ends.read_link, rows, TILE * element, 1.0 if split else 1 / blocks)
    read = side((thread,), ends, t.size * element, cores, write=False)
    written = write_result(ends, wide, layout.page_bytes(t), layout.nbytes(t), cores)
    return Kernel(cores, blocks, read, written, before=chip.pipeline.operand_cycles)


def join_users(ends: Ends, chip: ChipDesc) -> Kernel:
    """Return the rows of heads side by side, a core for each head, whose threads are those of heads of few rows."""
    t, layout = ends.source[0], ends.target[1]
    _, users, heads, width = t.shape
    element, wide = layout.dtype.tile_bytes / TILE**2, tiles(width)
    cores = min(heads, ends.grid.cores)
    blocks = users * -(-heads // cores)
    waits = 1 / max(blocks, 1)
    thread = Transfers(Link.L1_READ, wide / 2, TILE * element, waits)
    read = side((thread,), ends, t.size * element, cores, write=False)
    written = write_result(ends, wide / users, layout.page_bytes(t), ends.written_bytes, cores, waits=waits)
    return Kernel(cores, blocks, read, written, before=chip.pipeline.operand_cycles)


def split_users(ends: Ends, heads: int, chip: ChipDesc) -> Kernel:
    """Heads of one token a user, a core for each, whose threads are those of heads of few rows."""
    t, layout = ends.target
    users, wide = t.shape[1], tiles(t.shape[-1])
    element = layout.dtype.tile_bytes / TILE**2
    thread = Transfers(ends.read_link, wide / 2, TILE * element, 1.0)
    read = side((thread,), ends, ends.source[0].size * element, users, write=False)
    written = write_result(ends, wide / heads, layout.page_bytes(t), ends.written_bytes, users)
    return Kernel(users, heads, read, written, before=chip.pipeline.operand_cycles)
