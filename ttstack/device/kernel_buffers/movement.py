"""Circular buffers of kernels that move tiles, or take them apart into rows and put them together again."""

from ttstack.device.device_op import DeviceOp
from ttstack.ops.attention import ConcatenateHeads
from ttstack.ops.base import Op
from ttstack.ops.embedding import Embedding
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.loops import Loops
from ttstack.ops.shape import Concat
from ttstack.ops.types import TILE, tiles

_DOUBLE = 2

_SWAPPED = 2
_MOST_DIMS = 4
"""Dimensions of a tensor whose transposition is a kernel of its own."""


def movement_bytes(device_op: DeviceOp) -> int | None:
    """Bytes on each core of an op that moves elements; None where the kernel is none of these."""
    if len(device_op.results) != 1 or not device_op.results[0].tiled:
        return None
    held = _tiles(device_op.op)
    return None if held is None else held * device_op.results[0].dtype.tile_bytes


def _tiles(op: Op) -> int | None:
    match op:
        case SliceStatic() if _whole_tiles(op):
            found = _DOUBLE
        case _ if op.nest is not None and not op.nest.moves_only:
            found = _transposed(op.loops)
        case Concat() if all(_fills_tiles(t.shape, op.dim) for t in op.inputs):
            found = _DOUBLE
        case ConcatenateHeads() if op.input.shape[3] % TILE == 0:
            found = _DOUBLE * op.input.shape[1] * tiles(op.input.shape[3])
        case Embedding():
            found = _embedding(op)
        case _:
            found = None
    return found


def _whole_tiles(op: SliceStatic) -> bool:
    """Whether the slice begins and ends between tiles, and leaves out none."""
    ends = list(zip(op.input.shape, op.begins, op.ends, op.step, strict=True))[-2:]
    cut = all(begin % TILE == 0 and (end % TILE == 0 or end == extent) for extent, begin, end, _ in ends)
    return cut and all(step == 1 for step in op.step) and op.input.rank > 1


def _transposed(loops: Loops) -> int | None:
    """Tiles of the kernel that swaps two dimensions; None where others move."""
    if len(loops.work) != 1 or loops.work[0].name not in ("copy", "transpose") or len(loops.inputs) != 1:
        return None
    read, made = loops.inputs[0].loops, loops.outputs[0].loops
    moved = [d for d, loop in enumerate(made) if d >= len(read) or read[d] != loop]
    if len(moved) != _SWAPPED or len(made) > _MOST_DIMS or set(read) != set(made):
        return None
    return 2 * _DOUBLE if loops.work[0].name == "transpose" else _DOUBLE


def _fills_tiles(shape: tuple[int, ...], dim: int) -> bool:
    at = dim % len(shape)
    return at < len(shape) - 2 or shape[at] % TILE == 0


def _embedding(op: Embedding) -> int:
    """Tiles of rows that are looked up and of what is made of them: twice each where 32 rows make whole tiles."""
    shape = op.input.shape if op.shape is None else op.shape
    each = _DOUBLE if shape and shape[-1] % TILE == 0 else 1
    return _DOUBLE * each * tiles(op.weight.shape[-1])
