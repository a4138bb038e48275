"""What an op is called in profiler tables, and the class under which its time is summed up."""

from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_buffers.permutation import is_transposition
from ttstack.device.kernel_buffers.tiles import tile_matrix
from ttstack.device.layout import Layout
from ttstack.ops.eltwise import Typecast
from ttstack.ops.generic import ToLayout
from ttstack.ops.movement import Permutation
from ttstack.ops.shape import Pad
from ttstack.ops.types import TILE, TensorType

_CLASSES = {"to_layout": "layout", "generic": "eltwise"}


def op_class(device_op: DeviceOp) -> str:
    """The family of the op; changes of layout are one of their own, fused elementwise ops count as such."""
    op = device_op.op
    return _CLASSES.get(op.mnemonic, op.family)


def op_code(device_op: DeviceOp) -> str:
    """The name of the device operation in tt-metal's profiler."""
    match device_op.op:
        case ToLayout() as op:
            found = _layout_change(op.input, device_op.operands[0], device_op.results[0])
        case Pad() as op if device_op.operands[0].tiled and tile_matrix(op.input.shape) == tile_matrix(
            op.infer().shape
        ):
            found = "FillPadDeviceOperation"
        case Permutation() as op:
            found = f"{'Transpose' if is_transposition(op.order) else 'Permute'}DeviceOperation"
        case Typecast() if device_op.operands[0] == device_op.results[0]:
            found = "CloneOperation"
        case op:
            found = op.op_code
    return found


def _layout_change(t: TensorType, source: Layout, result: Layout) -> str:
    """The device operation that makes the most of the change: tiles before shards before the element format."""
    padded = any(extent % TILE for extent in (1, *t.shape)[-2:])
    match source.tiled, result.tiled:
        case False, True:
            return "TilizeWithValPaddingDeviceOperation" if padded else "TilizeDeviceOperation"
        case True, False:
            return "UntilizeWithUnpaddingDeviceOperation" if padded else "UntilizeDeviceOperation"
        case _:
            pass
    match source.sharded, result.sharded:
        case False, True:
            return "InterleavedToShardedDeviceOperation"
        case True, False:
            return "ShardedToInterleavedDeviceOperation"
        case True, True if source.grid != result.grid or source.memory_layout != result.memory_layout:
            return "ReshardDeviceOperation"
        case _:
            pass
    return "TypecastDeviceOperation" if source.dtype != result.dtype else "CopyDeviceOperation"
