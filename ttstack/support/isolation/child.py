"""Work in a forked child, which shares the parent's memory and can crash without affecting it.

A fork takes a few milliseconds, a new interpreter with the bindings half a second. As the parent's other threads do not
exist in the child, it uses an MLIR context without threads, as from `new_context`.
"""

import faulthandler
import gc
import logging
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from importlib import _bootstrap, import_module
from typing import Any, BinaryIO, NoReturn, TypeVar, cast

from ttstack.diagnostics import SourceError, TTStackError
from ttstack.support.isolation.limits import GIB, MEMORY, SECONDS, Limits
from ttstack.support.isolation.stalled import STALLED, wait_for
from ttstack.support.isolation.transfer import read_value, write_value
from ttstack.support.operating_system import CORE, CPU, DATA, data_bytes, fork_process, limit_process, memory_file

T = TypeVar("T")

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_LIBRARIES = ("numpy", "torch_mlir", "ttstack")
"""Packages that work in a child imports, whose imports do not wait for other threads."""
_IMPORT_IN_FLIGHT = 75
"""The exit code of a child that was forked during another thread's import of a module that it needs."""
_REPLACEMENTS = 3
"""Maximum number of replacements of stalled children."""
_OUT_OF_TIME = (signal.SIGXCPU, signal.SIGALRM)
_NOT_UTF8 = "nanobind::detail::str_from_cstr"
"""The bindings' message for a string that is not UTF-8, in an error or before a crash."""
_OUT_OF_MEMORY = ("bad_alloc", "out of memory", "length_error", "MemoryError")
"""Messages of C++ for a failed allocation, and of Python for a result that cannot be written."""


def run_isolated(work: Callable[[], T], what: str, limits: Limits) -> T:
    """Return the result of `work` in a child process, which cannot crash or exhaust this one.

    Args:
        work: A function without arguments whose result can be pickled; arrays are not copied to the parent.
        what: The name of its subject in errors, such as a path in quotes.
        limits: Its limits.

    Raises:
        SourceError: it exceeded a limit, or crashed.
        BaseException: `work` raised it.
    """
    with memory_file("result") as result, memory_file("said") as said:
        alone, replacements = threading.active_count() == 1, _REPLACEMENTS
        while True:
            replaceable = not alone and replacements > 0
            status = _status(
                lambda: _serve(work, what, limits, result, said, alone), limits.clock_seconds, replaceable=replaceable
            )
            if status == _IMPORT_IN_FLIGHT:
                for module in _imported_elsewhere():
                    with suppress(ImportError):
                        import_module(module)  # waits for the thread that imports it
            elif replaceable and status == STALLED:
                replacements -= 1
            else:
                break
        try:
            value, error = read_value(result)
        except EOFError:
            said.seek(0)
            raise _death(what, limits, status, said.read().decode(errors="replace")) from None
    if error is not None:
        raise error
    return value


def _status(serve: Callable[[], NoReturn], clock_seconds: float, *, replaceable: bool) -> int | None:
    """Return the exit status of a child; None if another thread already waited for it. An interrupt ends the child.

    Interrupts are deferred until the child's number is known here, and until the child is set up.
    """
    pid, before = 0, signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
        pid = fork_process()
        if not pid:
            serve()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return wait_for(pid, clock_seconds, replaceable=replaceable)
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
    """Do the work in the child, and exit."""
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
    """Make the child silent, killable and limited."""
    faulthandler.disable()
    logging.disable()  # its lines would be mixed with what native code prints as it ends the child
    for number in (*_INTERRUPTS, signal.SIGALRM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
    for descriptor in (1, 2):
        os.dup2(said.fileno(), descriptor)
    gc.freeze()
    signal.setitimer(signal.ITIMER_REAL, limits.clock_seconds)
    limit_process(CORE, 0)
    limit_process(CPU, max(1, round(limits.seconds)))
    used = data_bytes()
    if used is not None:  # macOS, which does not tell, does not enforce the limit either
        limit_process(DATA, used + limits.nbytes)


def _imported_elsewhere() -> list[str]:
    """Return the modules of `_LIBRARIES` that other threads are importing, by their import locks."""
    locks = {name: lock() for name, lock in tuple(getattr(_bootstrap, "_module_locks", {}).items())}
    owners = {name: lock.owner for name, lock in locks.items() if lock and name.partition(".")[0] in _LIBRARIES}
    return [name for name, owner in owners.items() if owner not in (None, threading.get_ident())]


def _free_locks() -> None:
    """Release the locks of cached properties in Python 3.11, whose holders do not exist in the child."""
    for found in gc.get_objects():
        if type(found) is cast(Any, cached_property) and hasattr(found, "lock"):
            found.__dict__["lock"] = threading.RLock()


def _outcome(work: Callable[[], object], what: str, limits: Limits) -> tuple[object, BaseException | None]:
    try:
        return work(), None
    except MemoryError:
        return None, _too_large(what, limits)
    except RecursionError:
        return None, SourceError(f"{what} is nested too deeply to be read", hint="reduce its nesting")
    except UnicodeDecodeError:
        return None, _not_utf8(what)
    except BaseException as e:
        return None, _not_utf8(what) if _NOT_UTF8 in str(e) else _portable(e)


def _portable(error: BaseException) -> BaseException:
    """Return the error in a form that the parent can raise; a note names the origin of foreign ones."""
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
    """Return the error for a child without a result."""
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
