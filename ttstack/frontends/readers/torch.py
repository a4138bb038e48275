"""Reader of PyTorch objects, factories by name, and exported programs in files."""

from pathlib import Path
from typing import Any

from ttstack.frontends.readers.extra import frontend
from ttstack.frontends.readers.kind import SourceModel


def is_torch(source: object) -> bool:
    """Return True for a PyTorch object, without importing PyTorch."""
    return any(base.__module__.partition(".")[0] == "torch" for base in type(source).__mro__)


def is_factory(source: str) -> bool:
    """Return True for `package.module:factory`, if no file has that name."""
    module, colon, name = source.partition(":")
    words = module.split(".")
    return bool(colon) and name.isidentifier() and all(w.isidentifier() for w in words) and not Path(source).exists()


def prepare(_head: bytes) -> None:
    """Do nothing: PyTorch is imported by this process, which reads the model."""


def read(source: Any, inputs: object) -> SourceModel:
    """Return the TTIR of a module, of an exported program or its file, or of a factory's result.

    Raises:
        SourceError: PyTorch is not installed, or the model cannot be exported.
        UnsupportedOpError: lists all ops without a conversion to TTIR.
    """
    found = frontend("torch", "PyTorch").import_torch(source, inputs)
    return SourceModel(found.module, found.weights, found.name, found.phases)
