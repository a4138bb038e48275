"""Circular buffers of exchanges between chips, on the cores that send and add."""

from ttstack.device.device_op import DeviceOp
from ttstack.ops.collective import AllGather, AllReduction, ReduceScatter
from ttstack.ops.distributed import DistributedRmsNorm
from ttstack.ops.mesh import MeshShard
from ttstack.ops.types import DType, tiles

_PACKET = 4352
"""Maximum bytes of tensors in a packet between chips."""
_PACKETS = 9
"""Number of packets in flight in a gather."""
_ROUNDS = 12
"""Number of buffers for sums and summands, each of as many tiles as Dst holds."""
_DST = 8
"""Number of 16-bit tiles that Dst holds."""
_CHIPS = 8
"""Maximum number of chips whose statistics fit a distributed norm: an op does not contain their number."""
_SCALARS = 4
"""Number of additional tiles of such a norm: means, roots, and their scalars."""


def collective_bytes(device_op: DeviceOp) -> int | None:
    """Return the bytes on each active core; None for ops of one chip, and for other exchanges."""
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
    """Return the bytes of rows and their squares, a tile of each row's sum, and its scalar."""
    tile = DType.BF16.tile_bytes
    return 2 * (tiles(op.input.shape[-1]) * (device_op.operands[0].dtype.tile_bytes + tile) + tile)


def _normalized(device_op: DeviceOp, op: DistributedRmsNorm) -> int:
    """Return the bytes of input rows, weighted and result rows, and the sums of all chips."""
    tile, result = DType.BF16.tile_bytes, device_op.results[0].dtype.tile_bytes
    weight = 0 if op.weight is None else tile
    rows = tiles(op.input.shape[-1]) * (device_op.operands[0].dtype.tile_bytes + weight + tile + result)
    return rows + (_CHIPS + _SCALARS) * tile


def _gathered(dtype: DType) -> int:
    return _PACKETS * (_PACKET // dtype.tile_bytes) * dtype.tile_bytes


def _scattered(dtype: DType) -> int:
    return _ROUNDS * (_DST // 2 if dtype is DType.F32 else _DST) * dtype.tile_bytes
