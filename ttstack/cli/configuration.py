"""Defaults for compile options in `ttstack.toml`, or in `[tool.ttstack]` of `pyproject.toml`.

Only commands read them, not Python. They may be in an untrusted repository, so they cannot name code.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ttstack.diagnostics import ConfigurationError, PassOptionError, TTStackError
from ttstack.options.choices import CHOICES
from ttstack.support import logs
from ttstack.support.files import why_unread
from ttstack.support.suggestion import did_you_mean

OWN_FILE, SHARED_FILE = "ttstack.toml", "pyproject.toml"
_CODE = ("patterns", "verify_patterns", "passes", "pipeline", "load")
"""Options that run users' code."""
_FILES = ("system_desc", "overrides", "tensor_train")
"""Options that can name files, relative to the folder of the configuration."""
_MOST_BYTES = 1 << 20
_LOG = logs.channel("config")


@dataclass(frozen=True)
class Configuration:
    """The options of a file."""

    file: Path
    options: Mapping[str, Any]


def find_configuration(folder: Path) -> Path | None:
    """Return the nearest file, from a folder upwards.

    In a folder, `ttstack.toml` takes precedence over `pyproject.toml`.
    """
    for parent in (folder, *folder.parents):
        if (parent / OWN_FILE).is_file():
            return parent / OWN_FILE
        if (parent / SHARED_FILE).is_file() and _section(parent / SHARED_FILE) is not None:
            return parent / SHARED_FILE
    return None


def read_configuration(folder: Path) -> Configuration | None:
    """Read the nearest file, from a folder upwards; return None if there is none.

    Raises:
        ConfigurationError: it is not TOML, or has wrong names or values; lists all of them.
    """
    file = find_configuration(folder)
    if file is None:
        _LOG.debug("no %s or %s in %s or above", OWN_FILE, SHARED_FILE, folder)
        return None
    options = _relative(_section(file) or {}, file.parent)
    faults = _faults(options, file)
    if faults:
        raise ConfigurationError(
            f"'{file}' has wrong options",
            loc=file if faults[0][0] is None else f"{file}:{faults[0][0]}",
            notes=tuple(reason if line is None else f"line {line}: {reason}" for line, reason in faults),
            hint="fix them, or ignore the file with --no-config",
        )
    _LOG.info("%s: %s", file, ", ".join(f"{name} = {value!r}" for name, value in options.items()) or "no options")
    return Configuration(file, options)


def _section(file: Path) -> Mapping[str, Any] | None:
    """Return the table of ttstack; None if a `pyproject.toml` has none."""
    try:
        text = _text(file)
        if file.name == SHARED_FILE and "ttstack" not in text:
            return None
        found: Any = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        if file.name == SHARED_FILE and isinstance(error, OSError | UnicodeDecodeError):
            return None
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else why_unread_toml(error)
        raise ConfigurationError(
            f"cannot read '{file}': {reason}", hint="fix it, or ignore the file with --no-config"
        ) from error
    if file.name == SHARED_FILE:
        tool = found.get("tool")
        found = cast(Mapping[str, Any], tool).get("ttstack") if isinstance(tool, dict) else None
    if found is not None and not isinstance(found, dict):
        raise ConfigurationError(f"'{file}': tool.ttstack is not a table", hint="write [tool.ttstack]")
    return cast(Mapping[str, Any] | None, found)


def why_unread_toml(error: OSError | ValueError) -> str:
    """Return the reason why a file cannot be read, with line and column for parse errors."""
    return str(error) if isinstance(error, tomllib.TOMLDecodeError) else why_unread(error)


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        content = opened.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES >> 20} MiB")
    return content.decode()


def _relative(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the options with files resolved against the folder."""

    def path_of(name: str, value: Any) -> Any:
        is_file = name in _FILES and isinstance(value, str) and (folder / value).is_file()
        return str(folder / value) if is_file else value

    return {name: path_of(name, value) for name, value in options.items()}


def _faults(options: Mapping[str, Any], file: Path) -> list[tuple[int | None, str]]:
    """Return the line and the error of each wrong option."""
    from ttstack.options.model import CompileOptions
    from ttstack.passes.pipelines import check_left_out

    faults: list[tuple[int | None, str]] = []
    known: dict[str, Any] = {}
    lines = _lines(file)
    for name, value in options.items():
        line = lines.get(name)
        if name in _CODE:
            faults.append((line, f"{name} runs code, so it goes on the command line only: files may be untrusted"))
        elif name not in CHOICES:
            meant = did_you_mean(name, [choice for choice in CHOICES if choice not in _CODE])
            faults.append((line, f"{name} is not an option of `ttstack compile`" + (f"; {meant}" if meant else "")))
        else:
            try:
                options_of = CompileOptions.of({name: value})
                check_left_out(options_of)
                if name == "system_desc":
                    _ = options_of.device
                known[name] = value
            except TTStackError as error:
                faults += [(line, r if r.startswith(name) else f"{name}: {r}") for r in _reasons(error)]
    if not faults:
        try:
            CompileOptions.of(known)
        except TTStackError as error:
            faults += [(None, reason) for reason in _reasons(error)]
    return faults


def _reasons(error: TTStackError) -> tuple[str, ...]:
    """Return the reasons: the notes of an option error, or the message of another."""
    found = error.diagnostic
    if isinstance(error, PassOptionError) and found.notes:
        return found.notes
    return ("; ".join(filter(None, (found.message, found.hint))),)


def _lines(file: Path) -> dict[str, int]:
    """Return the line of each key that is written plainly."""
    found: dict[str, int] = {}
    inside = file.name == OWN_FILE
    for number, line in enumerate(_text(file).splitlines(), 1):
        if header := re.match(r"\s*\[+\s*(?P<name>[\w.\s-]+?)\s*\]", line):
            name = header["name"].removeprefix("tool.ttstack.") if file.name == SHARED_FILE else header["name"]
            inside = header["name"] == "tool.ttstack" and file.name == SHARED_FILE
            found.setdefault(name, number)
        elif inside and (key := re.match(r"\s*(?P<name>[\w-]+)\s*=", line)):
            found.setdefault(key["name"], number)
    return found


_FORMATS = ("dtype", "weights_dtype", "half_dtype")


def defaults_for(options: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a command line leaves open, without those excluded by its own options."""
    excluded = {"precision"} if any(name in given for name in _FORMATS) else set[str]()
    excluded |= set(_FORMATS) if "precision" in given else set[str]()
    return {name: value for name, value in options.items() if name not in given and name not in excluded}
