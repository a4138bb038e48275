"""The calls of a placed op, worked out once."""

from functools import lru_cache

from ttstack.device.call_name import call_kind
from ttstack.device.call_sequence import SEQUENCES, CallSequence, CallWriter
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_free
from ttstack.device.layout import Grid


def call_sequence(device_op: DeviceOp, device: Grid) -> CallSequence | None:
    """The calls that the library is asked for, on a device of these cores; None where the op is one of them."""
    if call_kind(device_op.op) not in SEQUENCES or is_free(device_op):
        return None
    return _written(device_op, device)


@lru_cache(4096)
def _written(device_op: DeviceOp, device: Grid) -> CallSequence | None:
    return SEQUENCES[call_kind(device_op.op)](CallWriter(device_op, device))
