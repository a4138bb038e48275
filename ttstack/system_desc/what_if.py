"""A description with some fields of its chips changed: `l1_size=2MiB,clock=1.2GHz`."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, cast

from ttstack.diagnostics import SystemDescError
from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.serialize import from_dict, to_dict
from ttstack.system_desc.sources import figures
from ttstack.system_desc.system import SystemDesc

_UNITS = re.compile(r"_(bytes_per_second|bytes_per_cycle|per_second|per_cycle|bytes|hz|ns|cycles)$")
_CHANGE = re.compile(r"\s*([A-Za-z_][\w.]*)\s*=\s*([^=]+?)\s*")
_GRID = re.compile(r"(\d+)\s*x\s*(\d+)")


def what_if(desc: SystemDesc, changes: str) -> SystemDesc:
    """The description with `changes`, fields and values with commas between, made to each of its chips.

    A field is a dotted path in a chip (`l1.size_bytes`), or that without its unit, section or dots as far as it is
    clear (`l1_size`, `clock`, `cycles_per_tile.exp`). A value is a number, one with a unit, or a grid such as `7x8`.

    Raises:
        SystemDescError: a change cannot be read, a field is unknown, or a value does not fit it; one note each.
    """
    names = _names(desc.chips[0])
    found, faults = dict[str, Any](), list[str]()
    for change in filter(str.strip, changes.split(",")):
        match = _CHANGE.fullmatch(change)
        if match is None:
            faults.append(f"'{change.strip()}' is not of the form FIELD=VALUE")
            continue
        paths = names.get(match[1].lower(), ())
        if len(paths) == 1:
            found[paths[0]] = _value(match[2])
        else:
            faults.append(_unknown(match[1], paths, names))
    if faults or not found:
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults" if faults else "nothing"
        raise SystemDescError(
            f"{count} in the what-if '{changes}'",
            notes=tuple(faults),
            hint="for example: l1_size=2MiB,clock=1.2GHz; `ttstack system-desc show wormhole` lists all fields",
        )
    return from_dict(_changed(desc, found, changes), origin=f"what-if {changes}")


def _names(chip: ChipDesc) -> dict[str, tuple[str, ...]]:
    """Every name of a field, with the paths that it may mean."""
    paths = list(figures(chip))
    exact = {path: (path,) for path in paths} | {path.replace(".", "_"): (path,) for path in paths}
    found: dict[str, tuple[str, ...]] = {}
    for path in paths:
        for name in _short(path):
            if name not in exact:
                found[name] = (*found.get(name, ()), path)
    sections = {path.split(".")[0]: path for path in reversed(paths) if "." in path}
    first = {section: (path,) for section, path in sections.items() if section == "clock"}
    return found | first | exact


def _short(path: str) -> set[str]:
    """The path without its unit, and its last part alone."""
    bare, last = _UNITS.sub("", path), path.rpartition(".")[2]
    return {bare, bare.replace(".", "_"), last, _UNITS.sub("", last)}


def _unknown(name: str, paths: tuple[str, ...], names: Mapping[str, Any]) -> str:
    if paths:
        return f"'{name}' may be {' or '.join(paths)}"
    close = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    return f"'{name}' is no field of a chip" + (f"; did you mean '{close[0]}'?" if close else "")


def _value(text: str) -> Any:
    grid = _GRID.fullmatch(text)
    if grid is not None:
        return [int(grid[1]), int(grid[2])]
    try:
        return int(text)
    except ValueError:
        return text


def _changed(desc: SystemDesc, found: Mapping[str, Any], changes: str) -> dict[str, Any]:
    values = to_dict(desc) | {"name": f"{desc.name} with {changes.strip()}"}
    for chip in cast(list[dict[str, Any]], values["chips"]):
        for path, value in found.items():
            for part, name in _places(chip, path):
                part[name] = value
                chip["sources"][path] = "a what-if"
    return values


def _places(chip: dict[str, Any], path: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The section and the field in it; none of a chip that lacks the section."""
    part: Any = chip
    *sections, name = path.split(".")
    for section in sections:
        part = cast(dict[str, Any], part).get(section)
        if part is None:
            return
    yield part, name
