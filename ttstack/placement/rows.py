"""Ops that cut tiles, whose operands or results can be rows."""

from ttstack.device.kernel_class import is_view, keeps_width
from ttstack.device.layout import Layout, MemorySpace
from ttstack.ops.base import Op
from ttstack.ops.shape import Concat
from ttstack.ops.types import TILE, DType


def cuts_rows(op: Op) -> bool:
    """Return True if the op gives rows another shape, which changes the tiles."""
    return keeps_width(op) and not is_view(op) and op.operands[0].rank > 1 < op.results[0].rank


def joins_rows(op: Op) -> bool:
    """Return True if the op concatenates along rows matrices that end within tiles."""
    if not isinstance(op, Concat) or op.results[0].rank < 2:
        return False
    rank = op.results[0].rank
    return op.dim % rank == rank - 2 and any(t.shape[-2] % TILE for t in op.inputs)


def in_rows(layout: Layout, space: MemorySpace) -> Layout:
    """Return the rows of the same elements; those of blocks are in bf16."""
    return Layout(DType.BF16 if layout.dtype.is_block else layout.dtype, tiled=False, memory_space=space)
