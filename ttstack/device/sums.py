"""What kernels add up in: 16 or 32 bits of Dst."""

from ttstack.device.configs.rowwise import RowwiseConfig, Sums
from ttstack.device.device_op import DeviceOp
from ttstack.ops.types import DType


def wide_sums(device_op: DeviceOp) -> bool:
    """Whether Dst holds 32-bit numbers: where the result does, or where a kernel of rows is told to."""
    if isinstance(device_op.config, RowwiseConfig) and device_op.config.sums:
        return device_op.config.sums is Sums.F32
    return bool(device_op.results) and device_op.results[0].dtype in {DType.F32, DType.SI32, DType.UI32}
