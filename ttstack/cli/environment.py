"""`ttstack env`: information on the machine and the installation for bug reports."""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill as wrap_text
from typing import TYPE_CHECKING

from ttstack.cli.console import write, write_json
from ttstack.cli.shared_options import JsonOption, device_names
from ttstack.diagnostics import ConfigurationError
from ttstack.support.environment import VARIABLES
from ttstack.version import VERSION

if TYPE_CHECKING:
    from ttstack.cli.printed.environment import EnvironmentJson, PackageJson

_EXTRAS = ("torch", "onnx", "pandas", "plots", "filecheck", "openmp")
_OTHERS = {"ai-edge-model-explorer": "`ttstack explore`", "scipy": "`--blas scipy`"}
"""Packages that no extra installs, and their users."""
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*(?:;.*extra == ['\"](?P<extra>[\w-]+)['\"])?")


def print_environment(as_json: JsonOption = False) -> None:
    """Print versions, system and settings, for bug reports."""
    found = environment()
    if as_json:
        write_json(found)
        return
    width = max(len(package["name"]) for package in found["packages"])
    variables = [f"{name}={value}" for name, value in found["variables"].items()]
    lines = {
        "ttstack": f"{found['ttstack']} in {found['folder']}",
        "Python": f"{found['python']} ({found['interpreter']})",
        "system": f"{found['system']}, {found['machine']}",
        "CPU cores": f"{found['cores']} available",
        "memory": f"{found['memory_bytes'] / 2**30:.1f} GiB, {found['available_bytes'] / 2**30:.1f} GiB available",
        "C compiler": found["c_compiler"] or "none: `--target cpu` writes object files only",
        "OpenBLAS": found["openblas"] or "none: `--blas openblas` is not available",
        "configuration": found["configuration"] or "none",
        "variables": ", ".join(variables) or "none of ttstack's is set",
        "devices": ", ".join(found["devices"]),
    }
    for name, text in lines.items():
        write(_wrapped(f"{name + ':':{width + 1}} {text}", width + 2))
    write("\npackages:")
    write("\n".join(f"  {package['name']:{width}} {_version(package)}" for package in found["packages"]))


def _version(package: "PackageJson") -> str:
    if package["version"] is not None:
        return package["version"]
    if extra := package["extra"]:
        return f"not installed: pip install 'ttstack[{extra}]'"
    return f"not installed: used by {_OTHERS[package['name']]}" if package["name"] in _OTHERS else "not installed"


def _wrapped(text: str, indent: int) -> str:
    """Wrap a text at the terminal's width, with later lines indented."""
    width = shutil.get_terminal_size().columns
    return wrap_text(text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def environment() -> "EnvironmentJson":
    """Return installation, machine and settings, without importing packages."""
    import platform

    from ttstack.support.operating_system import available_cores, available_memory, total_memory

    return {
        "ttstack": VERSION,
        "folder": str(Path(__file__).parents[1]),
        "python": platform.python_version(),
        "interpreter": sys.executable,
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": available_cores(),
        "memory_bytes": total_memory(),
        "available_bytes": available_memory(),
        "c_compiler": shutil.which(os.environ.get("CC") or "cc"),
        "openblas": _openblas(),
        "configuration": _configuration(),
        "variables": {variable.name: variable.value for variable in VARIABLES if variable.value is not None},
        "devices": device_names(),
        "packages": _packages(_requirements()),
    }


def _openblas() -> str | None:
    """Return the library that the linker finds by `-lopenblas`; its name if the path is unknown."""
    from ctypes.util import find_library

    return find_library("openblas")


def _configuration() -> str | None:
    """Return the configuration file, with its errors."""
    from ttstack.cli.configuration import read_configuration

    try:
        found = read_configuration(Path.cwd())
    except ConfigurationError as error:
        return " ".join((error.diagnostic.message, *error.diagnostic.notes))
    return str(found.file) if found else None


def _requirements() -> Sequence[str]:
    from importlib import metadata

    try:
        return metadata.requires("ttstack") or ()
    except metadata.PackageNotFoundError:
        return ()


def _packages(requirements: Sequence[str]) -> "list[PackageJson]":
    """Return the packages that ttstack needs, and those of extras for users."""
    wanted: dict[str, str | None] = {}
    for requirement in requirements:
        parts = _REQUIREMENT.match(requirement)
        if parts and parts["name"] != "ttstack" and parts["extra"] in (None, *_EXTRAS):
            wanted.setdefault(parts["name"], parts["extra"])
    found: list[PackageJson] = [
        {"name": name, "version": _installed(name), "needed": extra is None, "extra": extra}
        for name, extra in wanted.items()
    ]
    others = [name for name in _OTHERS if name not in wanted]
    return [*found, *({"name": n, "version": _installed(n), "needed": False, "extra": None} for n in others)]


def _installed(name: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
