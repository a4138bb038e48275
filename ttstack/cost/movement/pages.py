"""Whole pages that go from one place to another, and rows of tensors that are not in tiles."""

import math
from dataclasses import replace

from ttstack.cost.movement.ends import Ends, nbytes, side, width_of, write_result
from ttstack.cost.movement.kernel import Kernel, Link, ShardRoute, Side, Transfers
from ttstack.device.device_op import DeviceOp
from ttstack.ops.kv_cache import FillCache, PagedFillCache
from ttstack.ops.types import TILE, tiles
from ttstack.system_desc import ChipDesc


def copy_shards(ends: Ends, chip: ChipDesc) -> Kernel:
    """Shards that only move within the cores that hold them: long packets, nothing to wait for."""
    t, layout = ends.source
    core_bytes = ends.core_pages * nbytes(t, layout) / ends.pages
    packets = max(core_bytes / chip.noc.max_packet_bytes, 1.0)
    local = Transfers(Link.LOCAL, packets, core_bytes / packets)
    return Kernel(ends.cores, 1, read=Side((local,), noc_bytes=core_bytes * ends.cores))


def copy_pages(ends: Ends, chip: ChipDesc, *, transposed: bool = False) -> Kernel:
    """Return the kernel that reads each result page. A core waits for each unless one end is its own L1."""
    copied = chip.matrix.copy_cycles(ends.source[1].dtype.bits) if transposed or ends.converts else 0.0
    pages = max(ends.core_pages, 1)
    both = not (ends.reads_own or ends.writes_own)
    _, target = ends.target
    source = ends.source[1]
    in_flight = 1.0 if both or not ends.in_place else chip.movement.pages_in_flight
    by_row = not target.tiled and not source.in_l1
    read = Side()
    if not ends.reads_own:
        waits = 1.0 if both or by_row else 1 / pages
        thread = Transfers(ends.read_link, 1, ends.read_bytes / ends.pages, waits)
        read = side((thread,), ends, ends.read_bytes, ends.cores, write=False)
    written = write_result(
        ends, 1, ends.written_bytes / ends.pages, ends.written_bytes, ends.cores, waits=1 / in_flight
    )
    return Kernel(ends.cores, pages, read, written, copied)


def cut_shards(ends: Ends, chip: ChipDesc) -> Kernel:
    """Return the kernel of resharding: each core reads its pages, half over each network, and waits once."""
    (t, before), (_, after) = ends.source, ends.target
    pages = math.prod(after.shard(t)) / chip.noc.num_nocs
    moved = after.nbytes(t)
    thread = Transfers(Link.L1_READ, pages, after.page_bytes(t))
    return Kernel(ends.cores, 1, Side((thread,), noc_bytes=moved, route=ShardRoute(before, after, after.matrix(t))))


def pad_pages(ends: Ends) -> Kernel:
    """Return the pages of a larger result: one thread waits for those that there are, and sends all of them off."""
    t, layout = ends.target
    share = ends.read_bytes / max(ends.written_bytes, 1.0)
    size = nbytes(t, layout) / ends.pages
    read = Transfers(ends.read_link, share, size, share)
    written = Transfers(ends.write_link, 1, size, 0.0)
    return Kernel(
        ends.cores,
        ends.core_pages,
        write=side((read, written), ends, ends.written_bytes, ends.cores, write=True),
    )


def move_rows(ends: Ends, chip: ChipDesc) -> Kernel:
    """Return the kernel that builds result rows, each from a contiguous source. Short sources are copied by element."""
    t, target_layout = ends.target
    source, source_layout = ends.source
    whole = width_of(t) * target_layout.dtype.row_major_bytes
    row = whole / ends.row_parts
    run = width_of(source) * source_layout.dtype.row_major_bytes
    index = chip.gather.index_cycles
    same = whole == run or len(ends.sources) > 1 or source.size != t.size
    work = index if same else row * chip.movement.element_cycles / target_layout.dtype.row_major_bytes
    read = Side()
    if not ends.reads_own:
        thread = Transfers(
            ends.read_link, max(row / run, 1.0) if not same else 1.0, min(row, run), 0.0 if same else 1.0, work
        )
        read = side((thread,), ends, row * ends.pages, ends.cores, write=False)
    waits = 0.0 if same else 1.0
    written = write_result(ends, 1, row, row * ends.pages, ends.cores, waits=waits, work=index)
    return Kernel(ends.cores, ends.core_pages, read, written)


def transpose_rows(ends: Ends, chip: ChipDesc) -> Kernel:
    """Return the rows that become columns, in blocks of a tile, which the math units transpose."""
    source, layout = ends.source[0], ends.target[1]
    wide = tiles(width_of(source))
    blocks = tiles(source.size // max(width_of(source), 1)) * wide
    each = -(-blocks // ends.grid.cores)
    cores, element = -(-blocks // each), layout.dtype.row_major_bytes
    width = width_of(source) / wide
    moved = source.size * element
    read = side((Transfers(ends.read_link, TILE, width * element),), ends, moved, cores, write=False)
    put = side((Transfers(ends.write_link, width, TILE * element),), ends, moved, cores, write=True)
    return Kernel(cores, each, read, put, chip.movement.tilize_cycles)


def embed(device_op: DeviceOp, chip: ChipDesc) -> Kernel:
    """Price a lookup of 32 table rows at a time: a core awaits tiles together, and rows one by one."""
    table, table_layout = device_op.op.operands[1], device_op.operands[1]
    ends = replace(Ends.of(device_op), sources=((table, table_layout),))
    t, layout = ends.target
    count = max(t.size // max(t.shape[-1], 1), 1)
    groups = tiles(count)
    blocks = -(-groups // ends.grid.cores)
    cores, rows = -(-groups // blocks), min(count, TILE)
    row = table.shape[-1] * table_layout.dtype.row_major_bytes
    looked_up = rows * chip.gather.index_cycles
    waits = 1.0 if layout.tiled else rows / chip.gather.rows_in_flight
    segments = tiles(table.shape[-1]) * 2 if table_layout.tiled else 1
    thread = Transfers(ends.read_link, rows * segments, row / segments, waits, looked_up)
    read = side((thread,), ends, row * count, cores, write=False)
    wide = tiles(t.shape[-1])
    size, each = (layout.dtype.tile_bytes, wide) if layout.tiled else (row, rows)
    waits = each / chip.movement.pages_in_flight
    written = write_result(ends, each, size, layout.nbytes(t), cores, waits=waits)
    return Kernel(cores, blocks, read, written, wide * chip.movement.tilize_cycles if layout.tiled else 0.0)


def write_cache(device_op: DeviceOp, chip: ChipDesc) -> Kernel:
    """Return the kernel that writes a cache: it copies filled tiles, and reads, changes and writes updated ones."""
    op, layout = device_op.op, device_op.operands[0]
    cache, update = op.operands[:2]
    wide, rows = tiles(cache.shape[-1]), max(op.written_elements() // max(cache.shape[-1], 1), 1)
    filled = update.shape[-2] == cache.shape[-2] or isinstance(op, (FillCache, PagedFillCache))
    parts = tiles(rows) if filled else rows
    users = min(cache.shape[0] if filled is False else parts, parts)
    cores = min(device_op.grid.cores, max(users, 1))
    blocks = -(-parts // cores) * (wide if filled else 1)
    page, nbytes = layout.dtype.tile_bytes, parts * wide * layout.dtype.tile_bytes
    each = 1 if filled else wide
    ends = [
        Side(
            (Transfers(Link.to(layout, write=write), each, page),),
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
