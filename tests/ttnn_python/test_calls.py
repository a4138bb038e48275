"""The table of calls."""

from ttstack.device.sequences.sequence import SEQUENCES
from ttstack.ops.base import OPS
from ttstack.ttnn_python.calls import CALLS, NO_CALL


def test_every_op_of_the_device_has_a_call_or_a_reason():
    executable = {name for name, op in OPS.items() if op.executable and op.__module__.startswith("ttstack.")}
    left = executable - CALLS.keys() - SEQUENCES.keys() - NO_CALL.keys()
    assert not left, "say in ttstack/ttnn_python/calls which call of ttnn each is, or in NO_CALL why there is none"
    assert not CALLS.keys() & NO_CALL.keys()
    assert CALLS.keys() | NO_CALL.keys() <= OPS.keys()
