"""Calls to the operating system, and the fallbacks for macOS, which are run on Linux."""

import os
import signal
import time
from pathlib import Path

import pytest

from ttstack.support.operating_system import (
    available_cores,
    available_memory,
    cpu_features,
    cpu_seconds,
    data_bytes,
    fork_process,
    limit_process,
    lock_file,
    memory_file,
    total_memory,
    wait_for_child,
)

ROOT = Path(__file__).parents[2]
ONLY_HERE = (
    "memfd_create",
    "pidfd_open",
    "sched_getaffinity",
    "os.fork(",
    "import fcntl",
    "import resource\n",
    '"/proc',
)


@pytest.fixture
def macos(system: str) -> bool:
    """Whether the calls that macOS lacks are taken away."""
    return system == "macos"


def test_only_one_module_calls_what_macos_lacks() -> None:
    files = [path for folder in ("ttstack", "runtime") for path in (ROOT / folder).rglob("*.py")]
    others = {path.name: path.read_text("utf-8") for path in files if path.name != "operating_system.py"}
    assert len(others) > 500
    assert not [(name, call) for name, text in others.items() for call in ONLY_HERE if call in text]


def test_a_file_without_a_path(macos: bool) -> None:
    with memory_file("test") as file:
        file.write(b"abc")
        file.flush()
        assert os.fstat(file.fileno()).st_size == 3
        assert os.fstat(file.fileno()).st_nlink == 0


def _child(seconds: float, code: int) -> int:
    pid = fork_process()
    if not pid:
        time.sleep(seconds)
        os._exit(code)
    return pid


def test_a_child_is_waited_for(macos: bool) -> None:
    assert (wait_for_child(_child(0.05, 3), 10) or (0, 0))[0] == 3
    assert (wait_for_child(_child(0.0, 4)) or (0, 0))[0] == 4
    pid = _child(30, 0)
    start = time.monotonic()
    assert wait_for_child(pid, 0.2) is None
    assert 0.15 < time.monotonic() - start < 5
    os.kill(pid, signal.SIGKILL)
    assert (wait_for_child(pid, 10) or (0, 0))[0] == -signal.SIGKILL
    with pytest.raises(ChildProcessError):
        wait_for_child(pid, 0.1)


def test_cpu_time_is_known_on_linux_only(macos: bool) -> None:
    assert (cpu_seconds(os.getpid()) is None) == macos


def test_memory_and_cores(macos: bool) -> None:
    assert 0 < available_memory() <= total_memory()
    found = data_bytes()
    assert found is None if macos else found and 0 < found < 1 << 42
    assert available_cores() > 0
    assert bool(cpu_features()) != macos


def test_a_system_without_a_limit() -> None:
    limit_process("RLIMIT_NOSUCH", 1)


def test_a_locked_file(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("wb") as first, (tmp_path / "lock").open("wb") as second:
        assert lock_file(first.fileno())
        assert not lock_file(second.fileno(), wait=False)
    with (tmp_path / "lock").open("wb") as third:
        assert lock_file(third.fileno(), wait=False)
