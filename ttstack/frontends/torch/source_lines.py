"""Lines of the model's own source, without frames of PyTorch, ttstack, Python and generated code."""

import re
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import fx

import ttstack
from ttstack.diagnostics import SourceError, TTStackError

Line = tuple[str, int]

_FRAME = re.compile(r'File "([^"]+)", line (\d{1,9})\b')
_PYTHON = f"{sysconfig.get_path('stdlib')}/"
_FOREIGN = ("<", *(f"{Path(str(package.__file__)).parent}/" for package in (torch, ttstack)))


def short(file: str) -> str:
    """Return `file` relative to its site-packages or to the working directory, if it is inside."""
    _, site_packages, inside = file.rpartition("/site-packages/")
    if site_packages:
        return inside
    return file.removeprefix(f"{Path.cwd()}/")


def model_line(frames: list[Line]) -> Line | None:
    """Return the innermost of `frames` (outermost first) that belongs to the model."""
    return next((frame for frame in reversed(frames) if not _is_foreign(frame[0])), None)


def _is_foreign(file: str) -> bool:
    return file.startswith(_FOREIGN) or (file.startswith(_PYTHON) and "/site-packages/" not in file)


def line_of_node(node: fx.Node) -> Line | None:
    """Return the model's line of `node`, if torch.export recorded one."""
    return line_of_trace(node.meta.get("stack_trace") or "")


def line_of_trace(trace: str) -> Line | None:
    """Return the model's line in a printed Python stack trace."""
    return model_line([(file, int(line)) for file, line in _FRAME.findall(trace)])


def line_of_error(error: BaseException) -> Line | None:
    """Return the model's line that raised `error`."""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    return model_line([(f.filename, f.lineno or 0) for f in traceback.extract_tb(error.__traceback__)])


@contextmanager
def as_source_error(what: str, hint: str | None = None) -> Iterator[None]:
    """Turn exceptions of a user's function in the block into source errors, at the line that raised them.

    Raises:
        SourceError: it raised an exception; errors of ttstack pass unchanged.
    """
    try:
        yield
    except TTStackError:
        raise
    except (Exception, SystemExit) as e:
        raise SourceError(f"{what} raised {type(e).__name__}: {e}", loc=spell(line_of_error(e)), hint=hint) from e


def module_of_node(node: fx.Node) -> str:
    """Return the path of the nn.Module that produced `node`: `encoder.layer.3.attention`, "" for the root."""
    stack = node.meta.get("nn_module_stack") or {"": ("", None)}
    return next(reversed(stack.values()))[0]


def spell(line: Line | None) -> str | None:
    """Format `line` as `file:line`."""
    return f"{short(line[0])}:{line[1]}" if line else None
