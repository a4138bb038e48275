"""Whatever a user calls a model, as a TTIR module."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ttstack.context import new_context
from ttstack.diagnostics import SourceError
from ttstack.frontends.readers import Source, kind_of, text, torch
from ttstack.frontends.readers.table import accepted
from ttstack.mlir import ir


@contextmanager
def imported(source: Any, inputs: Any = None, function: str | None = None) -> Iterator[Source]:
    """The module of a path, of text, of an MLIR module or of a PyTorch model, inside a context of its own.

    `function` is the one of a module's functions that is meant, where that is not all public ones.

    Raises:
        SourceError: there is no such file, object or function, or it cannot be read as a model.
        InvalidIRError: text that does not parse.
        UnsupportedOpError: ops that have no conversion to TTIR; all of them.
    """
    with new_context(), ir.Location.unknown():
        yield _read(source, inputs, function)


def _read(source: Any, inputs: Any, function: str | None) -> Source:
    if torch.is_torch(source) or (isinstance(source, str) and torch.is_factory(source)):
        _refuse_function(function)
        return torch.read(source, inputs)
    if isinstance(source, ir.Module):
        _refuse_inputs(inputs)
        return text.read_string(source.operation.get_asm(enable_debug_info=True), "<module>", function)
    if isinstance(source, str) and ("\n" in source or "{" in source):
        _refuse_inputs(inputs)
        return text.read_string(source, "<text>", function)
    if isinstance(source, str | Path):
        return _read_file(source, inputs, function)
    raise SourceError(
        f"cannot compile a {type(source).__name__}",
        hint="give a path, text, an MLIR module, package.module:factory, an nn.Module or an ExportedProgram",
    )


def _read_file(source: str | Path, inputs: Any, function: str | None) -> Source:
    path = Path(source)
    if not path.is_file():
        what = "is a folder" if str(source) and path.is_dir() else "does not exist"
        raise SourceError(f"'{source}' {what}", hint=accepted())
    try:
        kind = kind_of(path)
        if not kind.takes_inputs:
            _refuse_inputs(inputs)
            return kind.read(path, function)
        _refuse_function(function)
        return kind.read(path, inputs)
    except OSError as e:
        raise SourceError(f"cannot read '{path}': {e.strerror}") from e


def _refuse_inputs(inputs: Any) -> None:
    if inputs is not None:
        raise SourceError("`inputs` are for models of other frameworks; a module names its own", hint="leave them out")


def _refuse_function(function: str | None) -> None:
    if function is not None:
        raise SourceError("`function` is for modules of several functions; this model is one", hint="leave it out")
