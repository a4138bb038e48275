"""Kernels of new tokens: what they do before the first weights or keys arrive, and after the last."""

from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_matmul
from ttstack.ops.decode import DecodeAttention
from ttstack.system_desc import ChipDesc


def decode_setup_cycles(device_op: DeviceOp, chip: ChipDesc) -> float:
    """Cycles that nothing hides, of attention to a cache, and of products with weights over the banks of DRAM.

    The first finds positions and pages; the second gathers activations at the readers, and brings results back from
    them to the cores that keep them.
    """
    if isinstance(device_op.op, DecodeAttention):
        return chip.attention.decode_cycles
    return chip.matrix.sharded_weights_cycles if streams_weights(device_op) else 0.0


def streams_weights(device_op: DeviceOp) -> bool:
    """Whether it is a product whose weights lie over the banks of DRAM, each read by the core next to it."""
    if not is_matmul(device_op.dispatch):
        return False
    weights = device_op.operands[1]
    return weights.sharded and not weights.in_l1
