"""Plug-ins: modules of others that define passes, ops, kernels and conversions when they are imported."""

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from ttstack.diagnostics import PlugInError
from ttstack.support.user_code import as_fault, run_file

PLUG_INS = "plug_ins"
"""In the options that a program was compiled with: the modules of its ops that are none of ours, by the op's name."""

OPS, PASSES, FRONTENDS = "ttstack.ops", "ttstack.passes", "ttstack.frontends"
"""Groups of entry points: what is in one is imported before ops, passes or conversions are looked for."""
TARGETS = "ttstack.targets"
"""The group whose entries are paths of device descriptions, by the names that these have as presets."""


LOADED: dict[str, str] = {}
"""What plug-ins that were loaded by name were called, a path or a module, by the module's name."""


def load_plugin(name: str) -> None:
    """Import a plug-in: a Python file, or a module by its name.

    Raises:
        PlugInError: there is none of that name, or it does not run.
    """
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
    """Whether a module can be found; what its packages do wrong is said as it is imported."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError as e:
        return not f"{name}.".startswith(f"{e.name}.")
    except Exception:
        return True


@contextmanager
def as_own_fault(what: str, defined: type) -> Generator[None]:
    """Errors that a class of a user's own raises say their line; those of our classes pass unchanged."""
    if defined.__module__.partition(".")[0] == "ttstack":
        yield
    else:
        module = sys.modules.get(defined.__module__)
        with as_fault(what, _error, getattr(module, "__file__", None)):
            yield


@cache
def load_entry_points(group: str) -> tuple[str, ...]:
    """Import the installed plug-ins of a group, once; gives their names.

    Raises:
        PlugInError: one cannot be imported.
    """
    found = entry_points(group=group)
    for entry in found:
        with as_fault(f"the installed plug-in '{entry.name}' ({entry.value}) cannot be imported", _error):
            entry.load()
    return tuple(entry.name for entry in found)


@cache
def installed_devices() -> Mapping[str, Path]:
    """Files of device descriptions that installed plug-ins bring, by name.

    Raises:
        PlugInError: one cannot be imported, or is no path of a file.
    """
    found: dict[str, Path] = {}
    for entry in entry_points(group=TARGETS):
        with as_fault(f"the installed device '{entry.name}' ({entry.value}) cannot be imported", _error):
            path = entry.load()
        if not isinstance(path, str | Path) or not Path(path).is_file():
            raise _error(f"the installed device '{entry.name}' ({entry.value}) is no path of a file: {path!r}", None)
        found[entry.name] = Path(path)
    return found


def _error(what: str, place: str | None) -> PlugInError:
    return PlugInError(what, loc=place, hint="mend it, or leave the plug-in out")
