"""Calls of Linux that macOS does not have, each with a fallback; all others are plain POSIX.

Nothing here has run on macOS yet: tests disable Linux's calls, so that the fallbacks run on Linux.
"""

import fcntl
import os
import resource
import select
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

PROC = Path("/proc")
"""Linux's information on processes and the machine, as files."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05
"""Seconds between checks of a child, if the system does not report its end."""


def memory_file(name: str) -> BinaryIO:
    """Return an empty file without a path; on macOS a deleted file on the disk."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create(f"ttstack-{name}"), "w+b")
    return tempfile.TemporaryFile("w+b", prefix=f"ttstack-{name}")


def fork_process() -> int:
    """Fork; return 0 in the child, and its number in the parent.

    The child has no other threads. On Linux it may do anything that does not wait for them. On macOS system libraries
    may start threads, and some refuse to work after a fork: set `TTSTACK_ISOLATE=0` if a child crashes.
    """
    with warnings.catch_warnings():
        # Python 3.12 warns where there are other threads: the child runs no code that waits for one.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def wait_for_child(pid: int, seconds: float | None = None) -> tuple[int, float] | None:
    """Return the exit code of a child and its CPU seconds; None if it has not ended after some seconds.

    Raises:
        ChildProcessError: somebody else has waited for the child.
    """
    if seconds is None:
        return _reap(pid, 0)
    if hasattr(os, "pidfd_open"):
        return _reap(pid, 0) if _ends(pid, seconds) else None
    end, pause = time.monotonic() + seconds, _FIRST_PAUSE
    while (ended := _reap(pid, os.WNOHANG)) is None and time.monotonic() < end:
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
    return ended


def _ends(pid: int, seconds: float) -> bool:
    """Return True if a process ends within some seconds."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def _reap(pid: int, options: int) -> tuple[int, float] | None:
    found, status, used = os.wait4(pid, options)
    return (os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime) if found else None


def cpu_seconds(pid: int) -> float | None:
    """Return the CPU time of a process so far; None if the system does not report it."""
    try:
        text = (PROC / str(pid) / "stat").read_text("ascii", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def data_bytes() -> int | None:
    """Return the private memory of this process as its limit counts it; None if the system does not report it."""
    try:
        return int((PROC / "self/statm").read_text("ascii").split()[5]) * resource.getpagesize()
    except OSError:
        return None


CORE, CPU, DATA = "RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_DATA"


def limit_process(kind: str, value: int) -> None:
    """Limit a resource of this process, if the system supports it."""
    number = getattr(resource, kind, None)
    if number is None:
        return
    _, hard = resource.getrlimit(number)
    with suppress(ValueError, OSError):  # macOS refuses limits below what is used already
        resource.setrlimit(number, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def lock_file(descriptor: int, *, wait: bool = True) -> bool:
    """Return True if the file is now locked, until it is closed or the process ends."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def total_memory() -> int:
    """Return the bytes of the machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def available_memory() -> int:
    """Return the bytes that can be allocated without swapping; all memory if the system does not report it."""
    with suppress(OSError, StopIteration):
        lines = (PROC / "meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    with suppress(OSError, ValueError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return total_memory()


def cpu_features() -> frozenset[str]:
    """Return the names of instruction sets, such as `avx512f`; none if the system does not report them."""
    try:
        return frozenset((PROC / "cpuinfo").read_text("utf-8", errors="replace").split())
    except OSError:
        return frozenset()
