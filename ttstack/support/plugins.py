"""Plug-ins: external modules that define passes, ops, kernels and conversions when imported."""

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from ttstack.diagnostics import PlugInError
from ttstack.support import logs
from ttstack.support.environment import DEBUG
from ttstack.support.user_code import as_fault, run_file

_LOG = logs.channel("plugins")

PLUG_INS = "plug_ins"
"""The program option with the modules of custom ops, by op name."""

OPS, PASSES, FRONTENDS = "ttstack.ops", "ttstack.passes", "ttstack.frontends"
"""Groups of entry points, imported before ops, passes or conversions are looked up."""
TARGETS = "ttstack.targets"
"""The group of entry points with device descriptions, by preset name."""


LOADED: dict[str, str] = {}
"""The name, a path or a module, of each plug-in that was loaded by name, by module name."""


def load_plugin(name: str) -> None:
    """Import a plug-in: a Python file, or a module by its name.

    Raises:
        PlugInError: it does not exist, or does not run.
    """
    _LOG.info("load '%s'", name)
    path = Path(name)
    if path.is_file():
        LOADED[run_file(path, _error).__name__] = name
    elif path.suffix == ".py":
        raise PlugInError(f"there is no file '{name}'", hint=_GIVE)
    elif not _is_there(name):
        raise PlugInError(f"there is no module '{name}'", hint=_GIVE)
    else:
        with as_fault(f"the plug-in '{name}' cannot be imported", _error):
            LOADED[import_module(name).__name__] = name


_GIVE = "give a Python file, or the name of a module that is installed or on PYTHONPATH"


def _is_there(name: str) -> bool:
    """Return True if a module can be found; errors of its packages are reported on import."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError as e:
        return not f"{name}.".startswith(f"{e.name}.")
    except Exception:
        return True


@contextmanager
def as_own_fault(what: str, defined: type) -> Generator[None]:
    """Add the line to errors of a user's class; errors of ttstack's classes pass unchanged."""
    if defined.__module__.partition(".")[0] == "ttstack":
        yield
    else:
        module = sys.modules.get(defined.__module__)
        with as_fault(what, _error, getattr(module, "__file__", None)):
            yield


@cache
def load_entry_points(group: str) -> tuple[str, ...]:
    """Import the installed plug-ins of a group once, and return their names.

    Raises:
        PlugInError: one cannot be imported.
    """
    found = entry_points(group=group)
    for entry in found:
        _LOG.info("load '%s' (%s), which is installed", entry.name, entry.value)
        with as_fault(f"the installed plug-in '{entry.name}' ({entry.value}) cannot be imported", _error):
            entry.load()
    return tuple(entry.name for entry in found)


@cache
def installed_devices() -> Mapping[str, Path]:
    """Return the device description files of installed plug-ins, by name.

    Raises:
        PlugInError: one cannot be imported, or is not a path of a file.
    """
    found: dict[str, Path] = {}
    for entry in entry_points(group=TARGETS):
        with as_fault(f"the installed device '{entry.name}' ({entry.value}) cannot be imported", _error):
            path = entry.load()
        if not isinstance(path, str | Path) or not Path(path).is_file():
            raise _error(f"the installed device '{entry.name}' ({entry.value}) is not a path of a file: {path!r}", None)
        found[entry.name] = Path(path)
    return found


def _error(what: str, place: str | None) -> PlugInError:
    return PlugInError(
        what, loc=place, hint=f"fix the plug-in, or run without it; {DEBUG.name}=1 prints frames of ttstack too"
    )
