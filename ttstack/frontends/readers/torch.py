"""Objects of PyTorch, factories of them by name, and exported programs in files."""

from pathlib import Path
from typing import Any

from ttstack.frontends.readers.extra import frontend
from ttstack.frontends.readers.kind import SourceModel


def is_torch(source: object) -> bool:
    """Whether it is an object of PyTorch's, found without importing PyTorch."""
    return any(base.__module__.partition(".")[0] == "torch" for base in type(source).__mro__)


def is_factory(source: str) -> bool:
    """Whether it is spelled `package.module:factory` and no file has that name."""
    module, colon, name = source.partition(":")
    words = module.split(".")
    return bool(colon) and name.isidentifier() and all(w.isidentifier() for w in words) and not Path(source).exists()


def prepare(_head: bytes) -> None:
    """Nothing: PyTorch is imported by the process that reads, which is this one."""


def read(source: Any, inputs: object) -> SourceModel:
    """The TTIR of a module, of an exported program or the file of one, or of what a factory makes.

    Raises:
        SourceError: PyTorch is not installed, or the model cannot be exported.
        UnsupportedOpError: ops that have no conversion to TTIR; all of them.
    """
    found = frontend("torch", "PyTorch").import_torch(source, inputs)
    return SourceModel(found.module, found.weights, found.name, found.phases)
