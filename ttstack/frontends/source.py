"""Whatever a user calls a model, as a TTIR module."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import SourceError
from ttstack.dialects.context import new_context
from ttstack.dialects.equal_ops import shared_answers
from ttstack.frontends.ignored_attributes import warn_of_ignored_attributes
from ttstack.frontends.readers import FrameworkFile, ModuleFile, SourceModel, kind_of, text, torch
from ttstack.frontends.readers.sound import check_nesting, check_strings
from ttstack.frontends.readers.table import HEAD_BYTES, describe_kinds
from ttstack.mlir import ir
from ttstack.support.isolation import isolates, limits_for, run_isolated
from ttstack.support.plugins import FRONTENDS, load_entry_points
from ttstack.support.suggestion import file_meant


@dataclass(frozen=True)
class _ModelReader:
    """How to read a model in a context, and what must be known of it before."""

    read: Callable[[], SourceModel]
    what: str
    """What errors call it."""
    nbytes: int = 0
    isolated: bool = True
    """Whether strangers may have written it."""


@dataclass(frozen=True)
class _Read:
    """A model as it leaves the process that read it."""

    bytecode: bytes
    weights: Mapping[str, np.ndarray[Any, Any]]
    name: str
    phases: Mapping[str, float]


@contextmanager
def import_model(source: Any, inputs: object = None, function: str | None = None) -> Iterator[SourceModel]:
    """The module of a path, of text, of an MLIR module or of a PyTorch model, inside a context of its own.

    `function` is the one of a module's functions that is meant, where that is not all public ones.

    What strangers may have written is read in a child process: only the TTIR that it becomes reaches this one.

    Raises:
        SourceError: there is no such file, object or function, or it cannot be read as a model.
        InvalidIRError: text that does not parse.
        UnsupportedOpError: ops that have no conversion to TTIR; all of them.
    """
    load_entry_points(FRONTENDS)
    model = _model(source, inputs, function)
    with shared_answers(), new_context(), ir.Location.unknown():
        read = _isolated(model) if model.isolated and isolates() else model.read()
        if model.isolated:
            warn_of_ignored_attributes(read.module)
        yield read


def _isolated(model: _ModelReader) -> SourceModel:
    found = run_isolated(lambda: _in_bytecode(model.read()), model.what, limits_for(model.nbytes))
    return SourceModel(ir.Module.parse(found.bytecode), found.weights, found.name, found.phases)


def _in_bytecode(source: SourceModel) -> _Read:
    asm = source.module.operation.get_asm(enable_debug_info=True, large_elements_limit=16, assume_verified=True)
    printed = str(asm)
    check_nesting(printed, source.name)
    check_strings(printed, source.name)
    buffer = BytesIO()
    source.module.operation.write_bytecode(buffer)
    return _Read(buffer.getvalue(), source.weights, source.name, source.phases)


def _model(source: Any, inputs: object, function: str | None) -> _ModelReader:
    if torch.is_torch(source) or (isinstance(source, str) and torch.is_factory(source)):
        _refuse_function(function)
        return _ModelReader(lambda: torch.read(source, inputs), "the model", isolated=False)
    if isinstance(source, ir.Module):
        return _text(str(source.operation.get_asm(enable_debug_info=True)), "<module>", function, inputs)
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return _text(source, "<text>", function, inputs)
    if isinstance(source, str | Path):
        return _file(source, inputs, function)
    raise SourceError(
        f"cannot compile a {type(source).__name__}",
        hint="give a path, text, an MLIR module, package.module:factory, an nn.Module or an ExportedProgram",
    )


def _text(source: str, name: str, function: str | None, inputs: object) -> _ModelReader:
    try:
        data = source.encode()
    except UnicodeEncodeError as e:
        line = source.count("\n", 0, e.start) + 1
        raise SourceError(f"{name} has half a character", loc=f"{name}:{line}", hint="give text in UTF-8") from e
    text.prepare(data[:HEAD_BYTES])
    return _ModelReader(lambda: text.read_string(source, name, function, inputs), name, len(data))


def _file(source: str | Path, inputs: object, function: str | None) -> _ModelReader:
    path = Path(source)
    if not path.is_file():
        what = "is a folder" if str(source) and path.is_dir() else "does not exist"
        raise SourceError(f"'{source}' {what}", hint=file_meant(path) or describe_kinds())
    with _readable(path):
        kind, head = kind_of(path)
        if isinstance(kind, FrameworkFile):
            _refuse_function(function)
        kind.prepare(head)
        nbytes = path.stat().st_size
    return _ModelReader(lambda: _read(kind, path, inputs, function), f"'{path}'", nbytes, kind.isolated)


def _read(kind: ModuleFile | FrameworkFile, path: Path, inputs: object, function: str | None) -> SourceModel:
    with _readable(path):
        return kind.read(path, function, inputs) if isinstance(kind, ModuleFile) else kind.read(path, inputs)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise SourceError(f"cannot read '{path}': {e.strerror}") from e


def _refuse_function(function: str | None) -> None:
    if function is not None:
        raise SourceError("`function` is for modules of several functions; this model is one", hint="leave it out")
