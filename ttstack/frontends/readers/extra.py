"""Frontends that need a package which is not always installed."""

from importlib import import_module
from typing import Any

from ttstack.diagnostics import SourceError


def frontend(name: str, models: str) -> Any:
    """The package `ttstack.frontends.NAME`, which imports a package of that name.

    Raises:
        SourceError: that is not installed; `models` are what cannot be compiled.
    """
    try:
        return import_module(f"ttstack.frontends.{name}")
    except ModuleNotFoundError as e:
        if e.name != name:
            raise
        raise SourceError(f"compiling {models} models needs {name}", hint=f"pip install 'ttstack[{name}]'") from e
