"""Python that a user names, run so that an error in it says its line."""

import sys
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from ttstack.diagnostics import TTStackError

ErrorOf = Callable[[str, str | None], TTStackError]
"""Makes an error of what went wrong, and where."""


def run_file(path: Path, error: ErrorOf) -> ModuleType:
    """The module of a Python file, which is run."""
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
    """Turn whatever is raised inside the block into an error, at the last line of the file; our own pass unchanged."""
    try:
        yield
    except TTStackError:
        raise
    except (Exception, SystemExit) as e:
        raise error(f"{what}: {type(e).__name__}: {e}", _place(e, file)) from e


def _place(error: BaseException, file: str | None) -> str | None:
    if isinstance(error, SyntaxError):
        return f"{file or error.filename}:{error.lineno}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith("<frozen")]
    if file is not None:
        frames = [f for f in frames if Path(f.filename).absolute() == Path(file).absolute()]
    return f"{file or frames[-1].filename}:{frames[-1].lineno}" if frames else None
