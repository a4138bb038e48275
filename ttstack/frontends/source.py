"""Whatever a user calls a model, as a TTIR module."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import SourceError
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.session import new_context

_TEXT_SUFFIXES = (".mlir", ".ttir")


@dataclass(frozen=True)
class Source:
    """A TTIR module of the current context, the values of its parameters by name, and seconds by phase."""

    module: ir.Module
    weights: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict[str, Any])
    name: str = ""
    phases: Mapping[str, float] = field(default_factory=dict[str, float])


@contextmanager
def imported(source: Any, inputs: Any = None) -> Iterator[Source]:
    """The module of a path, of text, of an MLIR module or of a PyTorch model, inside a context of its own.

    Raises:
        SourceError: there is no such file or object, or it cannot be read as a model.
        InvalidIRError: text that does not parse.
        UnsupportedOpError: ops that have no conversion to TTIR; all of them.
    """
    with new_context(), ir.Location.unknown():
        from_torch = _from_torch(source) or (isinstance(source, str) and _is_factory(source))
        if inputs is not None and not from_torch:
            raise SourceError("`inputs` are for PyTorch models; a module names its own", hint="leave them out")
        if isinstance(source, ir.Module):
            yield _text(source.operation.get_asm(enable_debug_info=True), "<module>")
        elif from_torch:
            yield _torch(source, inputs)
        elif isinstance(source, str | Path):
            yield _text(*_read(source))
        else:
            raise SourceError(
                f"cannot compile a {type(source).__name__}",
                hint="give a path, text, an MLIR module, package.module:factory, an nn.Module or an ExportedProgram",
            )


def _text(text: str, name: str) -> Source:
    start = time.perf_counter()
    module = parse(text, name)
    return Source(module, name=name, phases={"parse": time.perf_counter() - start})


def _torch(source: Any, inputs: Any) -> Source:
    try:
        from ttstack.frontends.torch import import_torch
    except ModuleNotFoundError as e:
        if e.name != "torch":
            raise
        raise SourceError("compiling PyTorch models needs torch", hint="pip install 'ttstack[torch]'") from e
    found = import_torch(source, inputs)
    return Source(found.module, found.weights, found.name, found.phases)


def _from_torch(source: Any) -> bool:
    """Whether it is an object of PyTorch's, found without importing PyTorch."""
    return any(base.__module__.partition(".")[0] == "torch" for base in type(source).__mro__)


def _is_factory(source: str) -> bool:
    module, colon, name = source.partition(":")
    words = module.split(".")
    return bool(colon) and name.isidentifier() and all(w.isidentifier() for w in words) and not Path(source).exists()


def _read(source: str | Path) -> tuple[str, str]:
    """Text and a name for it; a string that spans lines or has a region is the text itself."""
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return source, "<text>"
    path = Path(source)
    if not path.is_file():
        what = "is a folder" if str(source) and path.is_dir() else "does not exist"
        raise SourceError(f"'{source}' {what}", hint="give a .mlir file, or package.module:factory for a PyTorch model")
    try:
        return path.read_text(), str(path)
    except UnicodeDecodeError as e:
        raise SourceError(
            f"'{path}' is not text", hint=f"models are read from {', '.join(_TEXT_SUFFIXES)} files"
        ) from e
    except OSError as e:
        raise SourceError(f"cannot read '{path}': {e.strerror}") from e
