"""Queues of commands and recorded traces: what was asked of them, in order, and values that are written."""

from typing import Any

from tests.ttnn_python.stand_in.tensor import Tensor

COMMANDS: list[str] = []
"""All that was asked since it was last cleared."""


def begin_trace_capture(_: object, *, cq_id: int) -> str:
    """From here on commands are recorded."""
    COMMANDS.append(f"record on {cq_id}")
    return "trace"


def end_trace_capture(_: object, trace: str, *, cq_id: int) -> None:
    """The end of the trace."""
    COMMANDS.append(f"end of {trace} on {cq_id}")


def execute_trace(_: object, trace: str, *, cq_id: int, blocking: bool) -> None:
    """Tensors have their values since the trace was recorded, which is as if it ran here."""
    COMMANDS.append(f"{trace} on {cq_id}{' at once' if blocking else ''}")


def release_trace(_: object, trace: str) -> None:
    """The trace is no more."""
    COMMANDS.append(f"{trace} released")


def record_event(_: object, queue: int) -> str:
    """What comes when the queue gets here."""
    COMMANDS.append(f"event of {queue}")
    return f"event of {queue}"


def wait_for_event(queue: int, event: str) -> None:
    """The queue goes on when the event has come."""
    COMMANDS.append(f"{queue} waits for {event}")


def copy_host_to_device_tensor(host: Tensor, device: Tensor, *, cq_id: int) -> None:
    """Values in the place of others."""
    device.values[...] = host.values
    COMMANDS.append(f"write on {cq_id}")


def synchronize_device(_: Any) -> None:
    """All queues have come to their ends."""
    COMMANDS.append("end")
