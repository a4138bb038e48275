"""Users' Python code, run with errors that name its line."""

import logging
import sys
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from ttstack.diagnostics import TTStackError
from ttstack.support import logs
from ttstack.support.environment import DEBUG

_LOG = logs.channel("plugins")

ErrorOf = Callable[[str, str | None], TTStackError]
"""Returns an error for a message and a location."""


def run_file(path: Path, error: ErrorOf) -> ModuleType:
    """Run a Python file and return its module."""
    name = f"ttstack_user_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None, path
    assert spec.loader is not None, path
    module = sys.modules[name] = module_from_spec(spec)
    with as_fault(f"'{path}' does not run", error, str(path)):
        spec.loader.exec_module(module)
    return module


@contextmanager
def as_fault(what: str, error: ErrorOf, file: str | None = None) -> Generator[None]:
    """Turn exceptions inside the block into an error, at the last line of the file.

    Errors of ttstack pass unchanged.
    """
    try:
        yield
    except TTStackError:
        raise
    except (Exception, SystemExit) as e:
        raise _with_traceback(error(f"{what}: {type(e).__name__}: {e}", _place(e, file)), e, file) from e


def _with_traceback(fault: TTStackError, error: BaseException, file: str | None) -> TTStackError:
    """Return the error with the traceback of the user's code as a note: its own frames, and what they call elsewhere.

    With `TTSTACK_DEBUG` or `-v`, the note has the frames of ttstack too. A note passes through the child process in
    which patterns are applied.
    """
    shown = traceback.extract_tb(error.__traceback__)
    own = [i for i, frame in enumerate(shown) if _is_own(frame.filename, file)]
    frames = shown[own[0] if own else 0 :]
    if DEBUG.value is None and _LOG.getEffectiveLevel() > logging.INFO:
        frames = [frame for frame in frames if not _is_of_compiler(frame.filename)] if own else []
    if not frames:
        return fault
    lines = traceback.format_list(frames) + traceback.format_exception_only(error)
    found = fault.diagnostic
    notes = (*found.notes, "".join(("traceback:\n", *lines)).rstrip())
    return type(fault)(found.message, loc=found.loc, notes=notes, hint=found.hint)


def _is_own(frame: str, file: str | None) -> bool:
    """Return True if a frame is in the user's file or, without a known file, outside of ttstack and Python's import."""
    if file is not None:
        return Path(frame).absolute() == Path(file).absolute()
    return not _is_of_compiler(frame) and "importlib" not in frame


def _is_of_compiler(frame: str) -> bool:
    """Return True if a frame is in ttstack, in the bindings of MLIR, or in Python's frozen modules."""
    path = Path(frame)
    return frame.startswith("<frozen") or _PACKAGE in path.parents or "torch_mlir" in path.parts


_PACKAGE = Path(__file__).absolute().parents[1]


def _place(error: BaseException, file: str | None) -> str | None:
    if isinstance(error, SyntaxError):
        return f"{file or error.filename}:{error.lineno}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<frozen")]
    if file is not None:
        frames = [f for f in frames if Path(f.filename).absolute() == Path(file).absolute()]
    return f"{file or frames[-1].filename}:{frames[-1].lineno}" if frames else None
