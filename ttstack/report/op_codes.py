"""Names of ops in profiler tables, and the classes under which times are summed."""

from ttstack.device.circular_buffers.permutation import is_transposition
from ttstack.device.circular_buffers.row_moves import has_kernel_of_its_own
from ttstack.device.circular_buffers.tiles import DOUBLE, is_ragged, tile_matrix
from ttstack.device.device_op import DeviceOp
from ttstack.device.halo import lie_side_by_side
from ttstack.device.layout import Layout
from ttstack.ops.conv import Conv1d, Conv2d
from ttstack.ops.eltwise import GeluBw, Typecast
from ttstack.ops.generic import ToLayout
from ttstack.ops.indexing import Gather
from ttstack.ops.kv_cache import FillCache, PagedFillCache
from ttstack.ops.movement import Permutation
from ttstack.ops.reduction import Reduction
from ttstack.ops.rotary import RotaryEmbedding
from ttstack.ops.shape import Broadcast, Pad, Repeat, Reverse
from ttstack.ops.types import DType, TensorType

_LONG = 800_000
"""Bytes of rows of tiles, twice, up to which kernels are written for a shape."""

_CLASSES = {"to_layout": "layout", "generic": "eltwise"}


def op_class(device_op: DeviceOp) -> str:
    """Return the family of the op; layout changes are a family, and fused elementwise ops count as elementwise."""
    op = device_op.op
    return _CLASSES.get(op.mnemonic, op.family)


def op_code(device_op: DeviceOp) -> str:
    """Return the name of the device operation in tt-metal's profiler."""
    match device_op.op:
        case ToLayout() as op:
            found = _layout_change(op.input, device_op.operands[0], device_op.results[0])
        case Pad() as op if device_op.operands[0].tiled and tile_matrix(op.input.shape) == tile_matrix(
            op.infer().shape
        ):
            found = "FillPadDeviceOperation"
        case Permutation() as op:
            found = f"{'Transpose' if is_transposition(op.order) else 'Permute'}DeviceOperation"
        case Typecast() as op if op.results[0].dtype is DType.I1 is not op.input.dtype:
            found = "BinaryNgDeviceOperation"
        case Typecast() if device_op.operands[0] == device_op.results[0]:
            found = "CloneOperation"
        case Conv1d() | Conv2d() as op if lie_side_by_side(op.sliding):
            found = "MatmulDeviceOperation"
        case op:
            found = _by_form(device_op) or op.op_code
    return found


def _by_form(device_op: DeviceOp) -> str | None:
    """Return the device operation for the formats, ranks and dimensions of an op that has several."""
    layouts = device_op.layouts()
    match device_op.op:
        case Gather() | Reverse() if device_op.operands[0].dtype is DType.BF16 and not any(
            layout.sharded or not layout.tiled for layout in layouts
        ):
            found = "GatherCodegenDeviceOperation"
        case Broadcast() | Repeat() as op if has_kernel_of_its_own(op.input.shape):
            found = "RepeatCodegenDeviceOperation"
        case FillCache():
            found = "UpdateKVCacheOperation"
        case PagedFillCache():
            found = "PagedFillCacheDeviceOperation"
        case GeluBw():
            found = "UnaryBackwardDeviceOperation"
        case RotaryEmbedding() as op if op.trans_mat is not None:
            found = "RotaryEmbeddingLlamaDeviceOperation"
        case RotaryEmbedding() as op if max(op.cos_cache.shape[-3:-1], default=1) > 1:
            found = "RotaryEmbeddingHfDeviceOperation"
        case Reduction() as op if op.mnemonic == "prod":
            found = "ProdNcDeviceOperation"
        case Reduction() as op if op.mnemonic == "sum" and max(op.dims, default=0) < op.input.rank - 2:
            found = None if device_op.operands[0].dtype is DType.F32 else "FastReduceNCDeviceOperation"
        case _:
            found = None
    return found


def _layout_change(t: TensorType, source: Layout, result: Layout) -> str:
    """Return the device operation that makes the most of the change: tiles before shards before the element format."""
    match source.tiled, result.tiled:
        case False, True:
            return f"Tilize{'WithValPadding' if is_ragged(t.shape) else ''}DeviceOperation"
        case True, False:
            return _to_rows(t, source, result)
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


def _to_rows(t: TensorType, source: Layout, result: Layout) -> str:
    """Return the untilize kernel's code: one is for tiles of at most 16 bits in rows that are not too long."""
    rows, columns = tile_matrix(t.shape)
    if is_ragged(t.shape):
        return "UntilizeWithUnpaddingDeviceOperation"
    plain = source.dtype in (DType.BF16, DType.BFP8_B) and not (source.sharded or result.sharded)
    written = plain and (rows == 1 or DOUBLE * columns * DType.BF16.tile_bytes <= _LONG)
    return f"Untilize{'Codegen' if written else ''}DeviceOperation"
