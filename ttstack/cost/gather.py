"""Data that crosses tile boundaries or moves between memories: copies, reshapes, slices, changes of layout."""

from ttstack.cost.stream import LOCAL, Stream
from ttstack.cost.transfers import link_kind, transfer_cycles
from ttstack.ops.dispatch import Access
from ttstack.ops.types import TILE, TensorType
from ttstack.program.device_op import DeviceOp
from ttstack.program.layout import Layout
from ttstack.program.structure import is_contraction
from ttstack.system_desc import ChipDesc

FACE = TILE // 2
"""Elements of a row that lie side by side in a tile: a tile is four faces of 16x16."""


def gather_stream(device_op: DeviceOp, t: TensorType, layout: Layout, chip: ChipDesc, *, write: bool) -> Stream:
    """Each core reads the parts that its share of the result is made of, and writes that share."""
    if layout.on_host or _in_place(device_op, layout, write=write):
        return LOCAL
    nbytes = moved_bytes(device_op, t, layout)
    share = nbytes / device_op.cores
    kind = link_kind(chip, in_l1=layout.in_l1, write=write)
    cycles = transfer_cycles(share, _transaction(device_op, t, layout), kind, chip.riscv.page_cycles)
    cycles = max(cycles, _shared_cycles(device_op, layout, nbytes, chip)) + kind.latency_cycles
    return Stream(cycles, dram_bytes=0 if layout.in_l1 else nbytes, noc_bytes=nbytes)


def _shared_cycles(device_op: DeviceOp, layout: Layout, nbytes: float, chip: ChipDesc) -> float:
    """Cycles on what cores share: ports of the cores that hold shards, or the links along each column of cores."""
    if layout.in_l1 and layout.grid is not None:
        return nbytes / (layout.grid.cores * chip.noc.num_nocs * chip.noc.port_bytes_per_cycle)
    return nbytes / (device_op.grid.cols * chip.noc.link_bytes_per_cycle)


def _in_place(device_op: DeviceOp, layout: Layout, *, write: bool) -> bool:
    """Whether cores work on their own shards: of the result, or of the only operand where the result is not sharded."""
    if not (layout.in_l1 and layout.sharded and layout.grid == device_op.grid):
        return False
    return write or not any(result.in_l1 and result.sharded for result in device_op.results)


def moved_bytes(device_op: DeviceOp, t: TensorType, layout: Layout) -> float:
    """Bytes of the tensor, or of as much of it as the op writes where it computes nothing of the rest."""
    if is_contraction(device_op.dispatch):
        return layout.nbytes(t)
    return layout.nbytes(t) * min(1.0, device_op.op.written() / max(t.size, 1))


def _transaction(device_op: DeviceOp, t: TensorType, layout: Layout) -> float:
    """Bytes that lie together in source and destination."""
    if is_contraction(device_op.dispatch) or moves_whole_pages(device_op):
        return layout.page_bytes(t)
    moved = _moved(device_op)
    same = [u for u, _ in moved if u.size == t.size]
    run = min((u.shape[-1] for u in (same if len(same) > 1 else [u for u, _ in moved]) if u.rank), default=1)
    tiled = any(other.tiled for _, other in moved)
    return max(min(run, FACE) if tiled else run, 1) * layout.dtype.tile_bytes / TILE**2


def _moved(device_op: DeviceOp) -> list[tuple[TensorType, Layout]]:
    """Types and layouts of what moves, without the indices that say where to, and what is read by index."""
    indices = device_op.op.host_operands
    tensors = zip(device_op.types(), device_op.layouts(), device_op.dispatch.maps, strict=True)
    picked = Access.INDIRECT
    return [(t, l) for i, (t, l, which) in enumerate(tensors) if i not in indices and which.access is not picked]


def moves_whole_pages(device_op: DeviceOp) -> bool:
    """Whether no tile is cut: all tensors have one shape, or one common extent and whole tiles along the other."""
    types, layouts = zip(*_moved(device_op), strict=True)
    if len({layout.tiled for layout in layouts}) > 1:
        return True
    shapes = {(1, 1, *t.shape)[-2:] for t in types}
    if len({t.shape for t in types}) == 1 or len(shapes) == 1:
        return True
    heights, widths = ({s[i] for s in shapes} for i in (0, 1))
    if not all(layout.tiled for layout in layouts):
        return len(widths) == 1
    whole = all(extent % TILE == 0 for shape in shapes for extent in shape)
    return whole and (len(heights) == 1 or len(widths) == 1)
