"""Waiting for a forked child, with detection of one that waits for a thread of the parent.

A native library's lock that another thread held during the fork stays locked in the child. Nobody can release it from
outside, so such a child must be replaced.
"""

import os
import signal

from ttstack.support.operating_system import cpu_seconds, wait_for_child

_PATIENCE = 3.0
"""Seconds without CPU time after which a child counts as stalled."""
_IDLE = 0.25
"""The share of its wall-clock time below which a child that timed out counts as stalled, without other information.

The fork of a large process uses a second or more of CPU time: each page that the child touches is copied.
"""
STALLED = 256
"""Represents the exit code of a child that was ended as stalled; exit codes are smaller."""


def wait_for(pid: int, clock_seconds: float, *, replaceable: bool) -> int:
    """Return the exit code of a child, or `STALLED` after ending a replaceable one without CPU time for 3 s.

    If the system does not report the CPU time of a running process, a stalled child is ended at its wall-clock limit of
    `clock_seconds`.

    Raises:
        ChildProcessError: another thread has waited for the child.
    """
    used: float | None = -1.0
    while (ended := wait_for_child(pid, _PATIENCE if replaceable else None)) is None:
        before, used = used, cpu_seconds(pid)
        if used is not None and used == before:
            os.kill(pid, signal.SIGKILL)
            wait_for_child(pid)
            return STALLED
    code, seconds = ended
    idle = code == -signal.SIGALRM and seconds < _IDLE * clock_seconds and cpu_seconds(os.getpid()) is None
    return STALLED if replaceable and idle else code
