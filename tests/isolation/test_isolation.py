"""Work in a child of the process: what it gives, and what is said where it does not survive."""

import builtins
import ctypes
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttstack
from ttstack.diagnostics import InvalidIRError, SourceError
from ttstack.dialects import context
from ttstack.frontends.torch import alone
from ttstack.ops.types import DType
from ttstack.support import collector, operating_system
from ttstack.support.fork_lock import ForkLock
from ttstack.support.isolation import Limits, child, limits_for, run_isolated
from ttstack.support.isolation.limits import GIB, MEMORY, SECONDS

pytestmark = pytest.mark.usefixtures("as_users_read", "system")

FEW = Limits(seconds=6, nbytes=GIB // 4)


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Interrupts are raised, also where the shell that started the tests ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def isolated(work: Callable[[], Any]) -> Any:
    return run_isolated(work, "the thing", FEW)


class TestValues:
    @pytest.mark.parametrize("dtype", [DType.F32, DType.BF16, DType.I1, DType.I64, DType.UI8])
    @pytest.mark.parametrize("shape", [(3, 5), (), (0, 4)])
    def test_arrays(self, dtype: DType, shape: tuple[int, ...]):
        array = np.ones(shape, dtype.numpy)
        found = isolated(lambda: {"a": array, "name": "x"})
        assert found["name"] == "x"
        assert found["a"].dtype == array.dtype
        np.testing.assert_array_equal(found["a"], array)

    def test_arrays_can_be_written_to(self):
        (a, b) = isolated(lambda: [np.arange(4), np.arange(4).reshape(2, 2).T])
        a[0] = 7
        assert a.tolist() == [7, 1, 2, 3]
        assert b.tolist() == [[0, 2], [1, 3]]

    def test_arrays_of_a_file_stay_there(self, tmp_path: Path):
        np.arange(100, dtype=np.uint8).tofile(tmp_path / "data")
        mapped = np.memmap(tmp_path / "data", np.uint8, "r", offset=8)
        found = isolated(lambda: mapped[4:12].view("<u4").reshape(2, 1))
        np.testing.assert_array_equal(found, mapped[4:12].view("<u4").reshape(2, 1))
        base = found
        while not isinstance(base, np.memmap):
            base = base.base
        assert Path(str(base.filename)) == tmp_path / "data"

    def test_nothing_that_the_child_does_is_seen(self):
        seen: list[int] = []
        assert isolated(lambda: seen.append(1)) is None
        assert seen == []


class TestDeaths:
    @pytest.mark.parametrize(
        ("work", "message"),
        [
            (os.abort, "the library that reads it crashes \\(SIGABRT\\)"),
            (lambda: ctypes.string_at(0), "the library that reads it crashes \\(SIGSEGV\\)"),
            (lambda: os.kill(os.getpid(), signal.SIGKILL), "crashes \\(SIGKILL\\)"),
            (lambda: os._exit(3), "crashes \\(no result\\)"),
            (b"\xff".decode, "has names or text that are not UTF-8"),
        ],
    )
    def test_a_child_that_dies_is_an_error(self, work: Callable[[], Any], message: str):
        with pytest.raises(SourceError, match=f"the thing .*({message})"):
            isolated(work)

    def test_a_child_that_takes_too_much_memory(self, system: str):
        if system == "linux":  # macOS enforces no limit
            with pytest.raises(SourceError, match=r"the thing cannot be read in 0\.2 GiB of memory"):
                isolated(lambda: np.ones(1 << 30))
        with pytest.raises(SourceError, match=r"cannot be read in 1 s of processor time|in 0\.5 GiB of memory"):
            run_isolated(lambda: [0 for _ in iter(int, 1)], "it", Limits(1, GIB // 2))

    def test_a_child_that_computes_without_end(self):
        with pytest.raises(SourceError, match="cannot be read in 1 s of processor time"):
            run_isolated(lambda: all(True for _ in iter(int, 1)), "it", Limits(1, GIB))

    def test_a_child_that_waits_without_end(self):
        with pytest.raises(SourceError, match="cannot be read in 1 s of processor time"):
            run_isolated(threading.Event().wait, "it", Limits(1, GIB))

    def test_a_child_that_waits_for_a_thread_of_the_parent_is_replaced(
        self, system: str, monkeypatch: pytest.MonkeyPatch
    ):
        lock, held, second = threading.Lock(), threading.Event(), threading.Event()
        forks: list[int] = []

        def hold() -> None:
            with lock:
                held.set()
                second.wait()

        def fork() -> int:
            if forks:  # the lock is open when the second child starts
                second.set()
                thread.join()
            forks.append(operating_system.fork_process())
            return forks[-1]

        monkeypatch.setattr(child, "fork_process", fork)
        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        seconds = 30 if system == "linux" else 6  # of which only the clock is known on macOS
        assert run_isolated(lambda: lock.acquire() and "open", "it", Limits(seconds, GIB)) == "open"
        assert len(forks) == 2

    def test_what_recurses_is_nested_too_deeply(self):
        def deeper() -> int:
            return deeper() + 1

        with pytest.raises(SourceError, match="the thing is nested too deeply"):
            isolated(deeper)

    def test_what_is_said_last_is_a_note(self):
        def work() -> None:
            os.write(2, b"LLVM ERROR: bad record\n")
            os.abort()

        with pytest.raises(SourceError) as e:
            isolated(work)
        assert e.value.diagnostic.notes == ("LLVM ERROR: bad record",)

    def test_an_interrupt_ends_the_child(self):
        pids: list[int] = []

        def interrupt() -> None:
            while not (children := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()):
                time.sleep(0.01)
            pids.append(int(children[0]))
            time.sleep(0.3)  # until it is waited for
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            run_isolated(threading.Event().wait, "it", Limits(10, GIB))
        thread.join()
        assert not Path(f"/proc/{pids[0]}").exists()

    def test_an_interrupt_at_the_fork_ends_the_child(self):
        """In a process of its own, as what is called at a fork is called at each from then on."""
        command = [sys.executable, "-c", _INTERRUPTED]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        assert (done.stdout, done.stderr) == ("interrupted, no child left\n", "")


_INTERRUPTED = """
import os, signal, threading
from ttstack.support.isolation import Limits, run_isolated
signal.signal(signal.SIGINT, signal.default_int_handler)
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    run_isolated(threading.Event().wait, "it", Limits(2, 1 << 30))
except KeyboardInterrupt:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("interrupted, no child left")
"""


class TestErrors:
    def test_ours_come_as_they_are(self):
        def work() -> None:
            raise InvalidIRError("no", loc="f:3", notes=("a", "b"), hint="yes")

        with pytest.raises(InvalidIRError) as e:
            isolated(work)
        assert str(e.value) == str(InvalidIRError("no", loc="f:3", notes=("a", "b"), hint="yes"))
        assert e.value.diagnostic == InvalidIRError("no", loc="f:3", notes=("a", "b"), hint="yes").diagnostic

    def test_others_say_where_they_come_from(self):
        with pytest.raises(ZeroDivisionError) as e:
            isolated(lambda: 1 // 0)
        assert "test_isolation.py" in e.value.__notes__[0]

    def test_one_that_cannot_be_pickled(self):
        class LocalError(Exception):
            pass

        def work() -> None:
            raise LocalError("what")

        with pytest.raises(RuntimeError, match="LocalError: what"):
            isolated(work)


class TestLimits:
    def test_they_grow_with_the_file(self):
        assert limits_for(0) == Limits(15, 2 * GIB)
        assert limits_for(0).clock_seconds == 20
        assert limits_for(1 << 20) == Limits(19, 2 * GIB + (16 << 20))

    def test_the_environment_sets_them(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv(SECONDS, "2.5")
        monkeypatch.setenv(MEMORY, "8")
        assert limits_for(1 << 30) == Limits(2.5, 8 * GIB)

    @pytest.mark.parametrize("text", ["no", "-1", "0", "nan", "inf"])
    def test_what_is_no_limit(self, monkeypatch: pytest.MonkeyPatch, text: str):
        monkeypatch.setenv(SECONDS, text)
        with pytest.raises(SourceError, match=f"{SECONDS} is '{text}'"):
            limits_for(0)


@pytest.mark.parametrize("lock", [context._LOADING, collector._LOCK, alone._ONE_AT_A_TIME])
def test_a_lock_that_another_thread_holds_is_open_in_the_child(lock: ForkLock):
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            done.wait()

    def work() -> str:
        with lock, collector.rare_collections():
            return str(context.new_context().is_registered_operation("ttir.add"))

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert run_isolated(work, "the thing", Limits(seconds=6, nbytes=GIB)) == "True"
    finally:
        done.set()
        thread.join()


def test_the_child_does_not_wait_for_what_another_thread_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The module is one of a package that works in a child imports from, and takes a while to be imported."""
    (tmp_path / "slow.py").write_text(
        "import builtins\nbuiltins.slow_begun.set()\nbuiltins.slow_done.wait()\nVALUE = 3\n"
    )
    begun, done = threading.Event(), threading.Event()
    monkeypatch.setattr(builtins, "slow_begun", begun, raising=False)
    monkeypatch.setattr(builtins, "slow_done", done, raising=False)
    monkeypatch.setattr(ttstack, "__path__", [*ttstack.__path__, str(tmp_path)])

    def work() -> int:
        return importlib.import_module("ttstack.slow").VALUE

    threads = [threading.Thread(target=work), threading.Timer(1.0, done.set)]
    for thread in threads:
        thread.start()
    begun.wait()
    try:
        assert run_isolated(work, "the thing", Limits(seconds=6, nbytes=GIB)) == 3
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.modules.pop("ttstack.slow", None)
