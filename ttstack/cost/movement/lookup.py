"""Rows picked by index, and rows written into a cache."""

from ttstack.cost.movement.ends import Ends
from ttstack.cost.movement.kernel import Kernel, Side, Transfers
from ttstack.cost.movement.sides import side, write_result
from ttstack.cost.transfers import link_kind
from ttstack.device.device_op import DeviceOp
from ttstack.ops.kv_cache import FillCache, PagedFillCache
from ttstack.ops.types import TILE, tiles
from ttstack.system_desc import ChipDesc


def embed(device_op: DeviceOp, chip: ChipDesc) -> Kernel:
    """32 rows of a table at a time: as tiles they are awaited together, as rows each by itself."""
    ends = Ends.of(device_op)
    table, given = device_op.op.operands[1], device_op.operands[1]
    t, made = ends.target
    count = max(t.size // max(t.shape[-1], 1), 1)
    groups = tiles(count)
    blocks = -(-groups // ends.grid.cores)
    cores, rows = -(-groups // blocks), min(count, TILE)
    row = table.shape[-1] * given.dtype.row_major_bytes
    kind = link_kind(chip, in_l1=given.in_l1, write=False)
    looked_up = rows * chip.gather.index_cycles
    waits = 1.0 if made.tiled else rows / chip.gather.rows_in_flight
    segments = tiles(table.shape[-1]) * 2 if given.tiled else 1
    thread = Transfers(kind, rows * segments, row / segments, waits, looked_up)
    read = side((thread,), given, row * count, ends.grid, cores, chip, write=False)
    wide = tiles(t.shape[-1])
    size, each = (made.dtype.tile_bytes, wide) if made.tiled else (row, rows)
    waits = each / chip.movement.pages_in_flight
    written = write_result(ends, each, size, made.nbytes(t), cores, chip, waits=waits)
    return Kernel(cores, blocks, read, written, wide * chip.movement.tilize_cycles if made.tiled else 0.0)


def write_cache(device_op: DeviceOp, chip: ChipDesc) -> Kernel:
    """Tiles of a cache: filled, they are copied; of rows that are updated, they are read, changed and written back."""
    op, layout = device_op.op, device_op.operands[0]
    cache, given = op.operands[:2]
    wide, rows = tiles(cache.shape[-1]), max(op.written_elements() // max(cache.shape[-1], 1), 1)
    filled = given.shape[-2] == cache.shape[-2] or isinstance(op, (FillCache, PagedFillCache))
    parts = tiles(rows) if filled else rows
    users = min(cache.shape[0] if filled is False else parts, parts)
    cores = min(device_op.grid.cores, max(users, 1))
    blocks = -(-parts // cores) * (wide if filled else 1)
    page, nbytes = layout.dtype.tile_bytes, parts * wide * layout.dtype.tile_bytes
    each = 1 if filled else wide
    ends = [
        Side(
            (Transfers(link_kind(chip, in_l1=layout.in_l1, write=write), each, page),),
            nbytes,
            parts * wide,
            nbytes,
        )
        for write in (False, True)
    ]
    converts = device_op.operands[1].dtype != layout.dtype
    before = 0.0 if filled else chip.movement.update_cycles * (2 if converts else 1)
    return Kernel(
        cores,
        blocks,
        *ends,
        math=chip.matrix.copy_cycles(layout.dtype.bits) if converts or not filled else 0.0,
        before=before,
    )
