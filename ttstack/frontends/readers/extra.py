"""Frontends that need an optional package."""

from importlib import import_module
from typing import Any

from ttstack.diagnostics import SourceError


def frontend(name: str, models: str) -> Any:
    """Return the package `ttstack.frontends.NAME`, which imports a package of that name.

    Raises:
        SourceError: it is not installed; `models` names the models that need it.
    """
    try:
        return import_module(f"ttstack.frontends.{name}")
    except ModuleNotFoundError as e:
        if e.name != name:
            raise
        raise SourceError(f"compiling {models} models needs {name}", hint=f"pip install 'ttstack[{name}]'") from e
