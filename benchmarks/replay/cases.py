"""The fixed set that is compiled: what lies in the examples, the documentation, the tests and the zoo."""

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDERS = ("examples", "docs", "tests")
"""Every `.mlir` in them is compiled, also what is refused: its message is its result."""


@dataclass(frozen=True)
class Case:
    """A model of the revision whose root is the current folder."""

    name: str
    load: Callable[[], Any]
    """What `ttstack.compile` takes."""


def cases() -> list[Case]:
    """All of them, those that take long first."""
    files = sorted(str(path) for folder in FOLDERS for path in Path(folder).rglob("*.mlir"))
    return [*map(_zoo, _models()), *(Case(file, partial(str, file)) for file in files)]


def _models() -> list[str]:
    from examples.zoo import FAMILIES

    return [name for family in FAMILIES.values() for name in family]


def _zoo(name: str) -> Case:
    return Case(f"examples.zoo.{name}", partial(_exported, name))


def _exported(name: str) -> Any:
    import torch

    model, args, kwargs = import_module(f"examples.zoo.{name}").small()
    with torch.no_grad():
        return torch.export.export(model, args, kwargs)


def source_digest(name: str) -> str:
    """The digest of the file that the case is, or that defines its model."""
    path = Path(name)
    if not path.exists():
        path = Path(str(sys.modules[name].__file__))
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
