"""The result of a reader, and the description of a kind of file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.mlir import ir


@dataclass(frozen=True)
class SourceModel:
    """A TTIR module of the current context, the values of its parameters by name, and seconds by phase."""

    module: ir.Module
    weights: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict[str, Any])
    name: str = ""
    phases: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class FileKind:
    """A kind of model file.

    The content determines the kind; a suffix of another kind is an error.
    """

    name: str
    """The name of the kind, which completes `it looks like`."""
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    """Returns True if a file with this beginning is of this kind."""
    prepare: Callable[[bytes], object]
    """Imports the packages that reading the file needs, before a process is forked to read it."""
    isolated: bool = field(default=True, kw_only=True)
    """Whether it is read in a separate process."""


@dataclass(frozen=True)
class ModuleFile(FileKind):
    """A module of functions with named inputs."""

    read: Callable[[Path, str | None, object], SourceModel]
    """Reads the named function, or all public ones, with the user's input shapes, or None."""


@dataclass(frozen=True)
class FrameworkFile(FileKind):
    """A model of another framework, with inputs from the user."""

    read: Callable[[Path, object], SourceModel]
    """Reads the model, with the user's example inputs or shapes, or None."""
