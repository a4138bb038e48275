"""The sum that a norm's kernel makes first where it has a residual."""

from ttstack.cost.overlap import soft_maximum
from ttstack.cost.units import tile_cycles
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import row_block
from ttstack.device.kernel_buffers.rows import read_ahead
from ttstack.device.kernel_class import is_local, residual_of, row_passes
from ttstack.device.sums import wide_sums
from ttstack.ops.loops import TileWork
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc


def sum_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles of the core with the most rows to add the residual to them, none where there is none.

    The loop of tt-metal's kernels is that of the binary kernel, tile after tile: unpacked, added, packed into a buffer
    in the format of sums. Rows that do not fit are added up anew in each pass over them.
    """
    if (residual := residual_of(device_op.op)) is None:
        return 0.0
    layouts, work = (device_op.operands[0], device_op.operands[residual]), TileWork("add", (0, residual))
    unpacked = sum(layout.dtype.tile_bytes for layout in layouts) / chip.unpack.bytes_per_cycle
    packed = (DType.F32 if wide_sums(device_op) else DType.BF16).tile_bytes / chip.pack.bytes_per_cycle
    each = (
        tile_cycles(work, layouts[0].dtype, device_op.fidelity, chip),
        max(unpacked, chip.unpack.min_cycles_per_tile) + chip.unpack.page_cycles,
        packed,
    )
    times = 1 if _is_whole(device_op) else row_passes(device_op.dispatch)
    return device_op.core_units * device_op.core_steps * times * soft_maximum(each, chip.pipeline.knee_exponent)


def late_share(device_op: DeviceOp) -> float:
    """Share of the operands that a core waits for, as it reads few blocks of its next row while it works on one."""
    residual = residual_of(device_op.op)
    if residual is None or not _is_whole(device_op):
        return 0.0
    which = device_op.dispatch.inputs[residual]
    if is_local(device_op, which, device_op.op.operands[residual], device_op.operands[residual]):
        return 0.0
    return 1 - min(read_ahead(device_op) / max(device_op.core_steps, 1), 1)


def _is_whole(device_op: DeviceOp) -> bool:
    return row_block(device_op) == device_op.core_steps
