"""The cached calls of a placed op."""

from functools import lru_cache

from ttstack.device.call_name import call_kind
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_free
from ttstack.device.layout import Grid
from ttstack.device.sequences.sequence import SEQUENCES, CallSequence, CallWriter
from ttstack.system_desc import ChipDesc


def call_sequence(device_op: DeviceOp, chip: ChipDesc) -> CallSequence | None:
    """Return the library calls of an op on such a chip; None if the op is a single call."""
    if call_kind(device_op.op) not in SEQUENCES or is_free(device_op):
        return None
    return _written(device_op, Grid(*chip.grid), chip.l1_usable_bytes)


@lru_cache(4096)
def _written(device_op: DeviceOp, device: Grid, l1_bytes: int) -> CallSequence | None:
    return SEQUENCES[call_kind(device_op.op)](CallWriter(device_op, device, l1_bytes))
