"""Data that crosses tile boundaries or moves between memories, and rows that are gathered by index."""

import math

from ttstack.cost.data.links import READS, WRITES, Load, bank_routers, exchange_load, reshard_load, worker_routers
from ttstack.cost.transfers import LOCAL, Stream
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_contraction
from ttstack.device.layout import Layout
from ttstack.ops.attention import HeadMovement
from ttstack.ops.loops import Access, IndexingMap
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TILE, TensorType
from ttstack.system_desc import ChipDesc

FACE = TILE // 2
"""Contiguous elements of a row in a tile: a tile is four faces of 16x16."""


def gather_stream(device_op: DeviceOp, t: TensorType, layout: Layout, chip: ChipDesc, *, write: bool) -> Stream:
    """Return the traffic of a gather: each core reads the sources of its share of the result, and writes that share."""
    if layout.on_host or _in_place(device_op, layout, write=write):
        return LOCAL
    nbytes = moved_bytes(device_op, t, layout)
    exchange = _between_shards(device_op)
    share = nbytes / device_op.cores / (chip.noc.num_nocs if exchange else 1)
    size = min(_transaction(device_op, t, layout), max(share, 1))
    kind = chip.noc.link(in_l1=layout.in_l1, write=write)
    issued = (
        chip.noc.transfer_cycles(share, size, kind, chip.riscv.page_cycles) + share / size * chip.gather.page_cycles
    )
    link, port = _load(device_op, t, layout, chip, write=write)
    parts = [issued, nbytes * link / chip.noc.link_bytes_per_cycle, nbytes * port / chip.noc.port_bytes_per_cycle]
    if not layout.in_l1:
        parts.append(chip.cycles_at_rate(nbytes, chip.dram.bank_adjacent_read_bytes_per_second))
    cycles = chip.noc.contend(parts) + kind.latency_cycles
    if layout.in_l1:
        return Stream(cycles, noc_bytes=nbytes)
    return Stream(cycles, nbytes, nbytes, bank_adjacent=True, dram_pages=nbytes / size)


def _load(device_op: DeviceOp, t: TensorType, layout: Layout, chip: ChipDesc, *, write: bool) -> Load:
    """Return the fractions of the moved bytes on the busiest link and through the busiest core port."""
    if _between_shards(device_op):
        return reshard_load(chip, device_op.operands[0], device_op.results[0], layout.matrix(t))
    cores = worker_routers(chip, device_op.grid)[: device_op.cores]
    banks = bank_routers(chip, layout)
    if write:
        return exchange_load(chip.noc.grid, cores, banks, WRITES)
    return exchange_load(chip.noc.grid, banks, cores, READS)


def _between_shards(device_op: DeviceOp) -> bool:
    """Return True if whole pages move between shards of one matrix."""
    if len(device_op.operands) != 1 or len(device_op.results) != 1:
        return False
    layouts = device_op.layouts()
    sharded = all(layout.in_l1 and layout.sharded for layout in layouts)
    matrices = {layout.matrix(t) for t, layout in zip(device_op.types(), layouts, strict=True)}
    return sharded and len(matrices) == 1 and moves_whole_pages(device_op)


def _in_place(device_op: DeviceOp, layout: Layout, *, write: bool) -> bool:
    """Return True if cores use their own shards: of the result, or of the only operand if the result is not sharded."""
    if not (layout.in_l1 and layout.sharded and layout.grid == device_op.grid):
        return False
    return write or not any(result.in_l1 and result.sharded for result in device_op.results)


def moved_bytes(device_op: DeviceOp, t: TensorType, layout: Layout) -> float:
    """Return the bytes of the tensor, or only those that the op writes if it moves data.

    Where tiles are cut, what fills the last of them does not move.
    """
    if is_contraction(device_op.dispatch):
        return layout.nbytes(t)
    whole = layout.nbytes(t) if moves_whole_pages(device_op) else t.size * layout.dtype.tile_bytes / TILE**2
    return whole * min(1.0, device_op.op.written_elements() / max(t.size, 1))


def _transaction(device_op: DeviceOp, t: TensorType, layout: Layout) -> float:
    """Return the bytes that are contiguous in source and destination."""
    if is_contraction(device_op.dispatch) or moves_whole_pages(device_op):
        return layout.page_bytes(t)
    moved = _moved(device_op)
    same = [u for u, _ in moved if u.size == t.size]
    run = min((u.shape[-1] for u in (same if len(same) > 1 else [u for u, _ in moved]) if u.rank), default=1)
    tiled = any(other.tiled for _, other in moved)
    return max(min(run, FACE) if tiled else run, 1) * layout.dtype.tile_bytes / TILE**2


def _moved(device_op: DeviceOp) -> list[tuple[TensorType, Layout]]:
    """Return the types and layouts of moved tensors, without target indices and indexed operands."""
    indices = device_op.op.host_operands
    tensors = zip(device_op.types(), device_op.layouts(), device_op.dispatch.maps, strict=True)
    picked = Access.INDIRECT
    return [(t, l) for i, (t, l, which) in enumerate(tensors) if i not in indices and which.access is not picked]


def moves_whole_pages(device_op: DeviceOp) -> bool:
    """Return True if no tile is cut: all tensors have one shape, or a common extent and full tiles along the other.

    What fills tiles along the common extent stays in its tiles.
    Of dimensions in another order, those that a map describes move whole tiles; heads say so themselves. Rows that
    become longer or shorter, with their elements in order, cut tiles whatever their extents.
    """
    if isinstance(device_op.op, Permutation):
        return False
    types, layouts = zip(*_moved(device_op), strict=True)
    if len({layout.tiled for layout in layouts}) > 1:
        return True
    if isinstance(device_op.op, HeadMovement) and layouts[0].tiled:
        return device_op.op.keeps_tiles
    shapes = {(1, 1, *t.shape)[-2:] for t in types}
    if len({t.shape for t in types}) == 1 or len(shapes) == 1:
        return True
    heights, widths = ({s[i] for s in shapes} for i in (0, 1))
    if not all(layout.tiled for layout in layouts):
        return len(widths) == 1
    differ, one = (heights, True) if len(widths) == 1 else (widths, len(heights) == 1 and not device_op.op.keeps_order)
    return one and all(extent % TILE == 0 for extent in differ)


def indirect_stream(device_op: DeviceOp, which: IndexingMap, t: TensorType, layout: Layout, chip: ChipDesc) -> Stream:
    """Return the traffic of an indirect operand: the last parallel loop is tiles, others are row groups or bags."""
    along = device_op.dispatch.parallel[-1]
    extents = device_op.core_domain
    rows = TILE * math.prod(extents[i] for i in set(which.loops) if i not in (None, along))
    element = layout.dtype.tile_bytes / TILE**2
    width = min(extents[along] * TILE, t.shape[-1]) * element
    size = width if not layout.tiled else FACE * element
    kind = chip.noc.link(in_l1=layout.in_l1, write=False)
    waits = kind.latency_cycles / max(chip.gather.rows_in_flight, 1)
    row = max(width / size * max(kind.issue_cycles, size / chip.noc.bytes_per_cycle(kind)), waits)
    nbytes = picked_bytes(device_op, which, t, layout)
    return Stream(
        rows * (row + chip.gather.index_cycles),
        dram_bytes=0 if layout.in_l1 else nbytes,
        noc_bytes=nbytes,
    )


def picked_bytes(device_op: DeviceOp, which: IndexingMap, t: TensorType, layout: Layout) -> float:
    """Return the bytes of all selected rows, counting repetitions."""
    along, domain = device_op.dispatch.parallel[-1], device_op.dispatch.domain
    every = TILE * math.prod(domain[i] for i in set(which.loops) if i not in (None, along))
    return every * t.shape[-1] * layout.dtype.tile_bytes / TILE**2
