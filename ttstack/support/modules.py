"""Import of a package's modules that register definitions."""

from collections.abc import Iterable
from importlib import import_module
from types import ModuleType


def import_modules(package: str, names: Iterable[str]) -> tuple[ModuleType, ...]:
    """Import modules of a package by name, in that order."""
    return tuple(import_module(f"{package}.{name}") for name in names)
