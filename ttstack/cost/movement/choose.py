"""Selection of tt-metal's kernel of a data movement op."""

from collections.abc import Sequence

from ttstack.cost.data.gather import moves_whole_pages
from ttstack.cost.movement.ends import Ends
from ttstack.cost.movement.heads import cut_heads, join_users, move_heads, split_users
from ttstack.cost.movement.kernel import Kernel
from ttstack.cost.movement.pages import (
    copy_pages,
    copy_shards,
    cut_shards,
    embed,
    move_rows,
    pad_pages,
    transpose_rows,
    write_cache,
)
from ttstack.cost.movement.tiles import cut_tiles, move_tile_rows, tilize, untilize
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import transposes_tiles
from ttstack.ops.attention import ConcatenateHeads, ConcatenateHeadsDecode, HeadMovement, SplitQueryKeyValueDecode
from ttstack.ops.embedding import Embedding
from ttstack.ops.generic import ToLayout
from ttstack.ops.indexing import Index, IndexSelect, SliceDynamic, SliceStatic
from ttstack.ops.kv_cache import CacheWrite
from ttstack.ops.movement import Permutation
from ttstack.ops.shape import Concat, Pad, Rearrange, Repeat, RepeatInterleave
from ttstack.ops.types import TILE
from ttstack.system_desc import ChipDesc

_TRANSPOSE_RANK = 4
"""Maximum dimensions of a swap of two dimensions that uses the transpose kernel, not the permute kernel."""
_MOVES = (
    ToLayout,
    Permutation,
    HeadMovement,
    Rearrange,
    Concat,
    Repeat,
    RepeatInterleave,
    Pad,
    SliceStatic,
    SliceDynamic,
    Index,
    IndexSelect,
)
"""Further ops that are one data movement kernel, besides those that keep the order of elements."""


def movement_kernel(device_op: DeviceOp, chip: ChipDesc) -> Kernel | None:
    """Return the kernel of one core, block by block; None for ops that do more than move data."""
    op = device_op.op
    if any(layout.on_host for layout in device_op.layouts()):
        return None
    if isinstance(op, CacheWrite):
        return write_cache(device_op, chip)
    if isinstance(op, Embedding):
        return embed(device_op, chip)
    if not isinstance(op, _MOVES) and not op.keeps_order and transposes_tiles(op) is None:
        return None
    ends = Ends.of(device_op)
    if isinstance(op, ToLayout):
        return _relayout(ends, chip)
    return (_of_rows if not ends.divided[1].tiled else _of_tiles)(device_op, ends, chip)


def _relayout(ends: Ends, chip: ChipDesc) -> Kernel | None:
    before, after = ends.source[1], ends.target[1]
    if before.tiled != after.tiled:
        return tilize(ends, chip) if after.tiled else untilize(ends, chip)
    if ends.same_shards:
        return copy_shards(ends, chip)
    if not all(layout.in_l1 and layout.sharded for layout in (before, after)):
        return copy_pages(ends, chip)
    return cut_shards(ends, chip) if before.tiled else None


def _of_rows(device_op: DeviceOp, ends: Ends, chip: ChipDesc) -> Kernel:
    op = device_op.op
    transposed = isinstance(op, Permutation) and op.input.rank > 1 and op.order[-1:] != (op.input.rank - 1,)
    return transpose_rows(ends, chip) if transposed or transposes_tiles(op) else move_rows(ends, chip)


def _of_tiles(device_op: DeviceOp, ends: Ends, chip: ChipDesc) -> Kernel:
    op = device_op.op
    if (transposed := transposes_tiles(op)) is not None:
        return copy_pages(ends, chip, transposed=transposed)
    if isinstance(op, Pad) and _starts_tiles([-low for low in op.padding[-4::2]]):
        return pad_pages(ends)
    if isinstance(op, HeadMovement):
        return _of_heads(op, ends, chip)
    if moves_whole_pages(device_op) or (isinstance(op, SliceStatic) and _starts_tiles(op.begins[-2:], op.step)):
        return copy_pages(ends, chip)
    return _permuted(op, ends, chip) if isinstance(op, Permutation) else cut_tiles(ends, chip, by_hand=op.keeps_order)


def _permuted(op: Permutation, ends: Ends, chip: ChipDesc) -> Kernel:
    last, rank = op.order[-1], op.input.rank
    if last < rank - 2:
        return cut_tiles(ends, chip, passes=2)
    return cut_tiles(ends, chip) if _swaps_rows(op) else move_tile_rows(ends, chip, transposed=last < rank - 1)


def _swaps_rows(op: Permutation) -> bool:
    """Return True if only rows and the dimension before them swap, for which tt-metal has a kernel."""
    rank = op.input.rank
    return rank <= _TRANSPOSE_RANK and op.order == (*range(rank - 3), rank - 2, rank - 3, rank - 1)


def _of_heads(op: HeadMovement, ends: Ends, chip: ChipDesc) -> Kernel:
    match op:
        case SplitQueryKeyValueDecode():
            return split_users(ends, op.num_heads + 2 * op.num_kv_heads, chip)
        case ConcatenateHeadsDecode():
            return join_users(ends, chip)
        case _ if op.keeps_tiles:
            return move_heads(ends, op, chip)
        case _:
            return cut_heads(ends, chip, split=not isinstance(op, ConcatenateHeads))


def _starts_tiles(begins: Sequence[int], step: Sequence[int] = (1,)) -> bool:
    """Return True if tiles of the result are tiles of the operand, except for padding."""
    return all(begin % TILE == 0 for begin in begins) and set(step) == {1}
