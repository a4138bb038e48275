"""Circular buffers of the library's group norm on shards."""

from ttstack.device.device_op import DeviceOp
from ttstack.device.group_norm import share_of
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import DType

_SCALARS = 4
"""Tiles of what sums are multiplied by, and of epsilon; and as many of sums, in the operand's format."""
_DOUBLE = 2


def group_norm_bytes(device_op: DeviceOp, op: GroupNorm) -> int:
    """Bytes of circular buffers on each core of a group norm on its shards.

    What is computed of them, of one sample's group twice; numbers by channel; masks of two groups; sums and scalars.
    """
    share, held = share_of(device_op, op), device_op.operands[0].dtype.tile_bytes
    computed = share.height * (share.samples * share.width + share.span)
    by_channel = sum(t is not None for t in (op.weight, op.bias)) * share.width
    (mask,) = op.operand_positions("input_mask")
    masks = _DOUBLE * share.span * device_op.operands[mask].dtype.tile_bytes
    return (computed + _SCALARS) * held + (by_channel + _SCALARS) * DType.BF16.tile_bytes + masks
