"""Work in a forked child: it shares the parent's memory, and what kills it leaves the parent as it was.

A fork costs a few milliseconds, a fresh interpreter with the bindings half a second. As the parent's other threads do
not exist in the child, it works in an MLIR context without threads, as `new_context` makes them.
"""

import faulthandler
import gc
import os
import pickle
import resource
import signal
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from importlib import _bootstrap, import_module
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar, cast

from ttstack.diagnostics import SourceError, TTStackError
from ttstack.support.isolation.limits import GIB, MEMORY, SECONDS, Limits
from ttstack.support.isolation.transfer import read_value, write_value

T = TypeVar("T")

_PAGE = resource.getpagesize()
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_LIBRARIES = ("numpy", "torch_mlir", "ttstack")
"""Packages that work in a child imports from, whose modules do not wait for other threads while they are imported."""
_IMPORT_IN_FLIGHT = 75
"""How a child ends that was forked while another thread imported what the child may need: that thread is not there."""
_OUT_OF_TIME = (signal.SIGXCPU, signal.SIGALRM)
_NOT_UTF8 = "nanobind::detail::str_from_cstr"
"""What the bindings say of a string that Python cannot hold, as an error or before they end the process."""
_OUT_OF_MEMORY = ("bad_alloc", "out of memory", "length_error", "MemoryError")
"""What C++ says when an allocation fails, and Python when the result cannot be written."""


def run_isolated(work: Callable[[], T], what: str, limits: Limits) -> T:
    """What `work` gives in a child process, where it can neither crash, poison nor exhaust this one.

    Args:
        work: Takes nothing, and gives what can be pickled; arrays are not copied to the parent.
        what: What errors call the thing that is worked on, such as a path in quotes.
        limits: What it may take.

    Raises:
        SourceError: it took more than it may, or did not survive.
        BaseException: what `work` raises.
    """
    with _shared("result") as result, _shared("said") as said:
        alone = threading.active_count() == 1
        while (status := _status(lambda: _serve(work, what, limits, result, said, alone))) == _IMPORT_IN_FLIGHT:
            for module in _imported_elsewhere():
                with suppress(ImportError):
                    import_module(module)  # waits for the thread that imports it
        try:
            value, error = read_value(result)
        except EOFError:
            said.seek(0)
            raise _death(what, limits, status, said.read().decode(errors="replace")) from None
    if error is not None:
        raise error
    return value


def _shared(name: str) -> BinaryIO:
    return os.fdopen(os.memfd_create(f"ttstack-{name}"), "w+b")


def _fork() -> int:
    with warnings.catch_warnings():
        # Python 3.12 warns where there are other threads: the child runs no code that waits for one.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _status(serve: Callable[[], NoReturn]) -> int | None:
    """How a child that serves ended; None where somebody else has asked before. What interrupts this ends the child.

    Interrupts wait until the child's number is known here, and until the child is settled there.
    """
    pid, before = 0, signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
        pid = _fork()
        if not pid:
            serve()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return None
    except BaseException:
        if pid:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    work: Callable[[], object], what: str, limits: Limits, result: BinaryIO, said: BinaryIO, alone: bool
) -> NoReturn:
    """Do the work in the child, and never return from it."""
    if not alone and _imported_elsewhere():
        os._exit(_IMPORT_IN_FLIGHT)
    try:
        if not alone:
            _free_locks()
        _settle(limits, said)
        write_value(result, _outcome(work, what, limits))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _settle(limits: Limits, said: BinaryIO) -> None:
    """Let the child be silent, killable and limited."""
    faulthandler.disable()
    for number in (*_INTERRUPTS, signal.SIGALRM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
    for descriptor in (1, 2):
        os.dup2(said.fileno(), descriptor)
    gc.freeze()
    signal.setitimer(signal.ITIMER_REAL, limits.clock_seconds)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, max(1, round(limits.seconds)))
    _limit(resource.RLIMIT_DATA, _data_bytes() + limits.nbytes)


def _imported_elsewhere() -> list[str]:
    """The modules of `_LIBRARIES` that other threads are importing, by the locks that they hold meanwhile."""
    locks = {name: lock() for name, lock in tuple(getattr(_bootstrap, "_module_locks", {}).items())}
    owners = {name: lock.owner for name, lock in locks.items() if lock and name.partition(".")[0] in _LIBRARIES}
    return [name for name, owner in owners.items() if owner not in (None, threading.get_ident())]


def _free_locks() -> None:
    """Open the locks of cached properties, of Python 3.11, which threads may hold that are not there in the child."""
    for found in gc.get_objects():
        if type(found) is cast(Any, cached_property) and hasattr(found, "lock"):
            found.__dict__["lock"] = threading.RLock()


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _data_bytes() -> int:
    """The process's private memory, by which it is limited."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[5]) * _PAGE


def _outcome(work: Callable[[], object], what: str, limits: Limits) -> tuple[object, BaseException | None]:
    try:
        return work(), None
    except MemoryError:
        return None, _too_large(what, limits)
    except RecursionError:
        return None, SourceError(f"{what} is nested too deeply to be read", hint="flatten what is nested in it")
    except UnicodeDecodeError:
        return None, _not_utf8(what)
    except BaseException as e:
        return None, _not_utf8(what) if _NOT_UTF8 in str(e) else _portable(e)


def _portable(error: BaseException) -> BaseException:
    """The error as the parent can raise it: one that is not ours says in a note where it comes from."""
    if not isinstance(error, TTStackError):
        error.add_note("".join(traceback.format_exception(error)).rstrip())
    with suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    stand_in = RuntimeError(f"{type(error).__name__}: {error}")
    for note in getattr(error, "__notes__", ()):
        stand_in.add_note(note)
    return stand_in


def _death(what: str, limits: Limits, status: int | None, said: str) -> SourceError:
    """What ended a child that left no result."""
    if status is not None and -status in _OUT_OF_TIME:
        return SourceError(
            f"{what} cannot be read in {limits.seconds:.0f} s of processor time, {limits.clock_seconds:.0f} s in all",
            hint=f"the file is damaged, or very large: {SECONDS} gives it more seconds",
        )
    if any(words in said for words in _OUT_OF_MEMORY):
        return _too_large(what, limits)
    if _NOT_UTF8 in said:
        return _not_utf8(what)
    how = signal.Signals(-status).name if status is not None and status < 0 else "no result"
    last = said.strip().splitlines()[-1:]
    return SourceError(
        f"{what} cannot be read: the library that reads it crashes ({how})",
        notes=tuple(line[:200] for line in last),
        hint="the file is damaged, or nested too deeply: export it again",
    )


def _not_utf8(what: str) -> SourceError:
    return SourceError(f"{what} has names or text that are not UTF-8", hint="the file is damaged: export it again")


def _too_large(what: str, limits: Limits) -> SourceError:
    return SourceError(
        f"{what} cannot be read in {limits.nbytes / GIB:.1f} GiB of memory",
        hint=f"the file is damaged, or has constants that are very large: {MEMORY} gives it more GiB",
    )
