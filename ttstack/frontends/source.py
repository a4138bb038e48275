"""Import of any kind of model as a TTIR module."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import SourceError
from ttstack.dialects.bytecode import bytecode
from ttstack.dialects.context import new_context
from ttstack.dialects.equal_ops import shared_answers
from ttstack.frontends.ignored_attributes import warn_of_ignored_attributes
from ttstack.frontends.readers import FrameworkFile, ModuleFile, SourceModel, kind_of, text, torch
from ttstack.frontends.readers.sound import check_nesting, check_strings
from ttstack.frontends.readers.table import HEAD_BYTES, describe_kinds
from ttstack.mlir import ir
from ttstack.support import logs
from ttstack.support.isolation import isolates, limits_for, run_isolated
from ttstack.support.plugins import FRONTENDS, load_entry_points
from ttstack.support.suggestion import file_meant

_LOG = logs.channel("read")


@dataclass(frozen=True)
class _ModelReader:
    """A method to read a model in a context."""

    read: Callable[[], SourceModel]
    what: str
    """The name of the model in errors."""
    nbytes: int = 0
    isolated: bool = True
    """Whether the model may be untrusted."""

    def __str__(self) -> str:
        """Return a description of the model and of how it is read, for the log."""
        limits = limits_for(self.nbytes)
        where = f"in a child process, at most {limits.seconds:.0f} s of CPU time and {limits.nbytes / 2**30:.1f} GiB"
        how = where if self.isolated and isolates() else "in this process"
        return f"{self.what}, {self.nbytes / 2**20:.1f} MiB, {how}" if self.nbytes else f"{self.what}, {how}"


@dataclass(frozen=True)
class _Read:
    """The result of the process that reads a model."""

    bytecode: bytes
    weights: Mapping[str, np.ndarray[Any, Any]]
    name: str
    phases: Mapping[str, float]


@contextmanager
def import_model(
    source: Any, inputs: object = None, function: str | None = None, *, name: str = "", unregistered: bool = False
) -> Iterator[SourceModel]:
    """Yield the module of a path, a text, an MLIR module or a PyTorch model, in a separate context.

    `function` selects one of a module's functions; by default all public ones are used. `name` is what errors call a
    text. `unregistered` accepts ops of unknown dialects.

    Untrusted models are read in a child process, which returns only TTIR.

    Raises:
        SourceError: the file, object or function does not exist, or cannot be read as a model.
        InvalidIRError: the text does not parse.
        UnsupportedOpError: lists all ops without a conversion to TTIR.
    """
    load_entry_points(FRONTENDS)
    model = _text(source, name, function, inputs) if name else _model(source, inputs, function)
    if _LOG.isEnabledFor(logging.INFO):
        _LOG.info("%s", model)
    with shared_answers(), new_context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = unregistered
        read = _isolated(model) if model.isolated and isolates() else model.read()
        if model.isolated:
            warn_of_ignored_attributes(read.module)
        if _LOG.isEnabledFor(logging.INFO):
            _log_read(read)
        yield read


def _log_read(read: SourceModel) -> None:
    """Log the functions, the parameters and the import time of a model."""
    nbytes = sum(weight.nbytes for weight in read.weights.values())
    seconds = ", ".join(f"{phase} {taken:.2f} s" for phase, taken in read.phases.items())
    _LOG.info(
        "%d parameters with values, %.1f MiB%s", len(read.weights), nbytes / 2**20, f"; {seconds}" * bool(seconds)
    )


def _isolated(model: _ModelReader) -> SourceModel:
    found = run_isolated(lambda: _in_bytecode(model.read()), model.what, limits_for(model.nbytes))
    return SourceModel(ir.Module.parse(found.bytecode), found.weights, found.name, found.phases)


def _in_bytecode(source: SourceModel) -> _Read:
    asm = source.module.operation.get_asm(enable_debug_info=True, large_elements_limit=16, assume_verified=True)
    printed = str(asm)
    check_nesting(printed, source.name)
    check_strings(printed, source.name)
    return _Read(bytecode(source.module), source.weights, source.name, source.phases)


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
