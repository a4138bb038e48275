"""Plug-ins: modules of others that define passes, ops, kernels and conversions when they are imported."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from ttstack.diagnostics import PlugInError
from ttstack.user_code import as_fault, run_file

PLUG_INS = "plug_ins"
"""In the options that a program was compiled with: the modules of its ops that are none of ours, by the op's name."""

OPS, PASSES, FRONTENDS = "ttstack.ops", "ttstack.passes", "ttstack.frontends"
"""Groups of entry points: what is in one is imported before ops, passes or conversions are looked for."""
TARGETS = "ttstack.targets"
"""The group whose entries are paths of device descriptions, by the names that these have as presets."""


def load_plugin(name: str) -> None:
    """Import a plug-in: a Python file, or a module by its name.

    Raises:
        PlugInError: there is none of that name, or it does not run.
    """
    path = Path(name)
    if path.is_file():
        run_file(path, _error)
    elif path.suffix == ".py":
        raise PlugInError(f"there is no file '{name}'", hint="give a Python file, or the name of a module")
    else:
        with as_fault(f"the plug-in '{name}' cannot be imported", _error):
            import_module(name)


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
