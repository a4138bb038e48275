"""What a reader gives, and how a kind of file is recognised."""

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
    """One kind of model file.

    A file is read as the kind of its content; a suffix that belongs to another kind is an error.
    """

    name: str
    """What such a file is: it completes `it looks like`."""
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    """Whether a file that begins with these bytes is of this kind."""
    prepare: Callable[[bytes], object]
    """Import what reading a file that begins with these bytes needs; done before a process is forked that reads it."""
    isolated: bool = field(default=True, kw_only=True)
    """Whether it is read in a process of its own."""


@dataclass(frozen=True)
class ModuleFile(FileKind):
    """A module of functions, which name their inputs themselves."""

    read: Callable[[Path, str | None, object], SourceModel]
    """The function that the user named, or all public ones, for the shapes of inputs that the user gives, or None."""


@dataclass(frozen=True)
class FrameworkFile(FileKind):
    """One model of another framework, beside which the user may give inputs."""

    read: Callable[[Path, object], SourceModel]
    """The model, for the example inputs or shapes that the user gave, or None."""
