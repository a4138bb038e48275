"""The table of calls."""

from ttstack.ops.base import OPS
from ttstack.ttnn_python.calls import CALLS, NO_CALL


def test_every_op_of_the_device_has_a_call_or_a_reason():
    executable = {name for name, op in OPS.items() if op.executable and op.__module__.startswith("ttstack.")}
    assert CALLS.keys() | NO_CALL.keys() >= executable
    assert not CALLS.keys() & NO_CALL.keys()
    assert CALLS.keys() | NO_CALL.keys() <= OPS.keys()
