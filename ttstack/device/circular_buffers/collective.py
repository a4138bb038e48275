"""Circular buffers of what chips exchange, on the cores that send and add."""

from ttstack.device.device_op import DeviceOp
from ttstack.ops.collective import AllGather, AllReduction, ReduceScatter
from ttstack.ops.distributed import DistributedRmsNorm
from ttstack.ops.mesh import MeshShard
from ttstack.ops.types import DType, tiles

_PACKET = 4352
"""Bytes of tensors in a packet between chips, at most."""
_PACKETS = 9
"""Packets on their way in a gather, whatever is gathered."""
_ROUNDS = 12
"""Times that sums, and what is added to them, wait in as many tiles as Dst holds."""
_DST = 8
"""Tiles of 16 bits that Dst holds at once."""
_CHIPS = 8
"""Chips whose statistics a norm of divided rows has room for: an op does not say how many there are."""
_SCALARS = 4
"""Tiles beside the rows of such a norm: means, roots, what is added to them and what they are divided by."""


def collective_bytes(device_op: DeviceOp) -> int | None:
    """Bytes on each core that has any; None of ops of one chip, and of other exchanges."""
    dtype = device_op.results[0].dtype if device_op.results else DType.BF16
    match device_op.op:
        case MeshShard():
            return 0  # the host divides and joins
        case AllGather():
            return _gathered(dtype)
        case ReduceScatter():
            return _scattered(dtype)
        case AllReduction():
            return max(_gathered(dtype), _scattered(dtype))
        case DistributedRmsNorm() as op:
            return max(_squares(device_op, op), _gathered(DType.BF16), _normalized(device_op, op))
        case _:
            return None


def _squares(device_op: DeviceOp, op: DistributedRmsNorm) -> int:
    """Rows and their squares, a tile of each row's sum, and what it is made with."""
    tile = DType.BF16.tile_bytes
    return 2 * (tiles(op.input.shape[-1]) * (device_op.operands[0].dtype.tile_bytes + tile) + tile)


def _normalized(device_op: DeviceOp, op: DistributedRmsNorm) -> int:
    """Rows as they come, weighed and as they leave, and the sums of all chips."""
    tile, result = DType.BF16.tile_bytes, device_op.results[0].dtype.tile_bytes
    weight = 0 if op.weight is None else tile
    rows = tiles(op.input.shape[-1]) * (device_op.operands[0].dtype.tile_bytes + weight + tile + result)
    return rows + (_CHIPS + _SCALARS) * tile


def _gathered(dtype: DType) -> int:
    return _PACKETS * (_PACKET // dtype.tile_bytes) * dtype.tile_bytes


def _scattered(dtype: DType) -> int:
    return _ROUNDS * (_DST // 2 if dtype is DType.F32 else _DST) * dtype.tile_bytes
