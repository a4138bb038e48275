"""Circular buffers of elementwise kernels: two tiles per stream, none if all tensors have equal shards."""

from dataclasses import replace

from ttstack.device.circular_buffers.memory import copy_bytes
from ttstack.device.circular_buffers.tiles import typecast
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import elementwise_function
from ttstack.device.layout import Layout, MemoryLayout
from ttstack.ops.types import DType, TensorType

_DOUBLE = 2
_TRUTH_VALUES = ("logical_and", "logical_or", "logical_xor")
"""Ops that first convert each operand to ones and zeros, in a separate tile."""
_AS_RESULT = {"where": 1, "maximum": 0, "minimum": 0}
"""Ops whose operands have the result's format, and the first such operand."""
_BITS, _NARROW, _WIDE = 16, 8, 2
"""Number of tiles computed at a time for formats up to this many bits, and for wider ones."""
_BINARY = 2
"""Number of operands of an op that repeats one of them within its tiles."""


def _activated(device_op: DeviceOp) -> list[Layout]:
    """Return the operands with a fused activation."""
    body = () if device_op.op.nest is None else device_op.op.nest.body
    first = {
        tile_op.args[0]
        for tile_op in body
        if len(body) > 1 and len(tile_op.args) == 1 and tile_op.args[0] < len(device_op.operands)
    }
    return [layout for i, layout in enumerate(device_op.operands) if i in first]


def eltwise_bytes(device_op: DeviceOp) -> int:
    """Return the bytes on each core of an elementwise op on tiles."""
    name, activated = _name(device_op), [layout.dtype.tile_bytes for layout in _activated(device_op)]
    if name == "typecast" and _is_test(device_op):
        scalar = device_op.operands[0].dtype.tile_bytes
        return scalar + (0 if _in_place(device_op) else _streams(*device_op.layouts()))
    if _in_place(device_op):
        return _truth_of_shards(device_op) if name in _TRUTH_VALUES else _DOUBLE * sum(activated)
    if name == "typecast" and device_op.operands[0].dtype == device_op.results[0].dtype:
        sharded = any(layout.sharded for layout in device_op.layouts())
        return 0 if sharded else copy_bytes(device_op.op.operands[0], device_op.operands[0])
    nbytes = _streams(*_kernel_operands(device_op), *device_op.results) + sum(activated)
    if name == "where":
        nbytes = max(_chosen(device_op, nbytes), _condition_cast(device_op))
    if len(device_op.operands) == _BINARY:
        nbytes += _repetition(device_op)
    if name in _TRUTH_VALUES:
        nbytes += sum(layout.dtype.tile_bytes for layout in device_op.operands)
    return nbytes


def _is_test(device_op: DeviceOp) -> bool:
    """Return True if the op compares numbers with a tile of zeros, to bools."""
    return device_op.op.results[0].dtype is DType.I1 is not device_op.op.operands[0].dtype


def _name(device_op: DeviceOp) -> str:
    function = None if device_op.op.nest is None else elementwise_function(device_op.op.nest)
    return device_op.dispatch.work[0].name if function is None else function.name


def _truth_of_shards(device_op: DeviceOp) -> int:
    """Return the bytes of the operands as ones and zeros: as many tiles as are computed at a time."""
    return sum((_WIDE if x.dtype.bits > _BITS else _NARROW) * x.dtype.tile_bytes for x in device_op.operands)


def _kernel_operands(device_op: DeviceOp) -> list[Layout]:
    """Return the operands in the kernel's formats."""
    first = _AS_RESULT.get(_name(device_op), len(device_op.operands))
    if _name(device_op) == "where" and _is_cast(device_op):
        first = 0
    result_dtype = device_op.results[0].dtype
    return [replace(x, dtype=result_dtype) if position >= first else x for position, x in enumerate(device_op.operands)]


def _chosen(device_op: DeviceOp, streams: int) -> int:
    """Return the bytes of a selection; operands are copied if only their rows are repeated within tiles."""
    ends = {(1, 1, *t.shape)[-2:] for t in device_op.op.operands}
    by_rows = len({width for _, width in ends}) == 1 < len({height for height, _ in ends})
    return streams + (_streams(*_kernel_operands(device_op)) if by_rows else 0)


def _is_cast(device_op: DeviceOp) -> bool:
    """Return True if the condition of a selection between reals consists of integers, which are cast first."""
    return not device_op.operands[0].dtype.is_float and device_op.results[0].dtype.is_float


def _condition_cast(device_op: DeviceOp) -> int:
    return typecast(device_op.operands[0].dtype, device_op.results[0].dtype) if _is_cast(device_op) else 0


def _streams(*layouts: Layout) -> int:
    return _DOUBLE * sum(layout.dtype.tile_bytes for layout in layouts)


def _in_place(device_op: DeviceOp) -> bool:
    """Return True if each core reads and writes equal shards, which then are the buffers."""
    first, *others = (*device_op.operands, *device_op.results)
    shapes = {t.shape for t in (*device_op.op.operands, *device_op.op.results)}
    if len(shapes) > 1 or not all(_alike(first, other) for other in others):
        return False
    if _name(device_op) == "typecast" and first.dtype.tile_bytes != others[0].dtype.tile_bytes:
        return False
    return len(device_op.operands) > 1 or _even(device_op.op.operands[0], first)


def _alike(a: Layout, b: Layout) -> bool:
    return a.sharded and a.in_l1 and (a.memory_layout, a.grid, True) == (b.memory_layout, b.grid, b.in_l1)


def _even(t: TensorType, layout: Layout) -> bool:
    """Return True if all shards have the same number of tiles."""
    (rows, cols), (height, width) = layout.matrix(t), layout.shard(t)
    return rows % height == 0 and cols % width == 0


def _repetition(device_op: DeviceOp) -> int:
    """Return the bytes of the operand that is repeated within tiles, minus shards that still are the buffers."""
    repeated = _repeated(device_op)
    if repeated is None:
        return 0
    source, result = device_op.operands[0], device_op.results[0]
    column = repeated == 1 and device_op.op.operands[1].shape[-1:] in ((), (1,))
    shards = column and source.memory_layout is MemoryLayout.HEIGHT_SHARDED and _alike(source, result)
    return _streams(_kernel_operands(device_op)[repeated]) - (_streams(source, result) if shards else 0)


def _repeated(device_op: DeviceOp) -> int | None:
    """Return the operand that is repeated within its tiles; of two, the one that is repeated along rows."""
    height, width = (1, 1, *device_op.op.results[0].shape)[-2:]
    ends = [(1, 1, *t.shape)[-2:] for t in device_op.op.operands]
    along_rows = [i for i, end in enumerate(ends) if end[0] != height]
    along_columns = [i for i, end in enumerate(ends) if end[1] != width]
    return next(iter((*reversed(along_rows), *reversed(along_columns))), None)
