"""What placement adds to a predicted time because it may be wrong."""

from ttstack.cost.confidence import confidence
from ttstack.cost.result import Cost
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_chain
from ttstack.system_desc import ChipDesc

OWN_ERROR = 0.5
"""Share of a measured class's error that one way to run an op does not share with the others."""


def doubt_ns(device_op: DeviceOp, cost: Cost, chip: ChipDesc) -> float:
    """Nanoseconds by which the time may be wrong; none where all tensors lie as ttnn leaves them by default.

    Half of the error where ops like it were measured, since ways to run an op share much of it; else all of it.
    Chains of products are kernels that ttnn has not, so nothing is a default of theirs.
    """
    by_default = all(not layout.in_l1 and not layout.sharded for layout in device_op.layouts())
    if by_default or is_chain(device_op.dispatch):
        return 0.0
    said = confidence(device_op, cost, chip)
    return cost.elapsed_ns * (said.error or 0.0) * (1.0 if said.extrapolated else OWN_ERROR)
