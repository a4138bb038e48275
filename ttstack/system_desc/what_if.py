"""A description with some of its figures changed: `l1_size=2MiB,clock=1.2GHz`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ttstack.diagnostics import SystemDescError
from ttstack.system_desc.at_release import at_release
from ttstack.system_desc.changes import Change, read_changes
from ttstack.system_desc.fields import (
    COMMON,
    RELEASE,
    SYSTEM,
    dimension_at,
    figure_at,
    names_of,
    unknown,
    unpriced_reason,
)
from ttstack.system_desc.follow import cores, follow
from ttstack.system_desc.measured_figures import FITTED, record_changes
from ttstack.system_desc.plausible import implausible
from ttstack.system_desc.serialize import from_dict, to_dict
from ttstack.system_desc.shares import RATES
from ttstack.system_desc.system import SystemDesc
from ttstack.system_desc.unpriced import unpriced_notes

_SOURCE = "a what-if"


class WhatIf(NamedTuple):
    """Another device with notes: derived changes, and figures that do not affect times."""

    system: SystemDesc
    notes: tuple[str, ...] = ()


def what_if(desc: SystemDesc, texts: Sequence[str], *, fit: str = "") -> WhatIf:
    """The description with the changes of all `texts`, fields and values with commas between.

    A field is a dotted path in a chip (`l1.size_bytes`), of which all chips get the value, or `links` or `mesh_shape`
    of the system; or that without its unit, section or dots as far as it is clear (`l1_size`, `clock`,
    `cycles_per_tile.exp`). `ttnn` gives all chips the figures of a release, before other changes. A value is a number,
    one with a unit, a grid such as `7x8`, or a list in brackets. Figures that must agree with a changed one follow:
    channels bring routers and their share of the peak, a grid its die. What was changed is in `measured_figures` of a
    chip, unless the changes are a `fit` to measurements, which it names.

    Raises:
        SystemDescError: a change cannot be read, a field is unknown or said twice, a number without a unit is far from
            what the device has, or values do not fit each other; one note each.
    """
    changes, faults = read_changes(texts)
    found = _found(desc, changes, faults)
    whole = ",".join(text.strip() for text in texts)
    if faults or not found:
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults" if faults else "nothing"
        raise SystemDescError(
            f"{count} in the what-if '{whole}'",
            notes=tuple(faults),
            hint=f"short names: {COMMON}; `ttstack system-desc show wormhole` lists all fields",
        )
    return _changed(desc, found, whole, f"{FITTED} to {fit}" if fit else _SOURCE)


def _found(desc: SystemDesc, changes: Sequence[Change], faults: list[str]) -> dict[str, Any]:
    """Return values by path, and add errors to the faults."""
    names, said = names_of(desc), dict[str, Change]()
    found = dict[str, Any]()
    for change in changes:
        paths = names.get(change.name.lower(), ())
        if len(paths) != 1:
            faults.append(unknown(change.name, names))
            continue
        (path,) = paths
        other = said.setdefault(path, change)
        if other.text != change.text:
            faults.append(f"{path} is set twice: {other}, {change}")
            continue
        try:
            found[path] = _value(desc, path, change)
        except ValueError as error:
            faults.append(str(error))
    return found


def _value(desc: SystemDesc, path: str, change: Change) -> Any:
    """Return the value of a change; raise `ValueError` if it is not possible."""
    chip = desc.chips[0]
    value, dimension = change.value(), dimension_at(path)
    if path == "grid" and isinstance(value, int):
        return cores(value, chip.grid, chip.tensix_grid)
    present = next((p for c in desc.chips if (p := figure_at(c, path)) is not None), None)
    if dimension and isinstance(present, int | float):
        why = implausible(change.name, change.text, dimension, present)
        if why:
            raise ValueError(why)
    return value


def _changed(desc: SystemDesc, found: Mapping[str, Any], whole: str, source: str) -> WhatIf:
    if RELEASE in found:
        desc = at_release(desc, str(found[RELEASE]))
    values: dict[str, Any] = to_dict(desc) | {"name": f"{desc.name} with {whole}"}
    of_chips = {path: value for path, value in found.items() if path not in (*SYSTEM, RELEASE)}
    notes = dict.fromkeys(unpriced_notes((path, unpriced_reason(path)) for path in found))
    for chip in cast(list[dict[str, Any]], values["chips"]):
        more = follow(chip, of_chips)
        notes |= dict.fromkeys(f"{path} follows: {_spell(value)}" for path, value in more.items())
        for path, value in (of_chips | more).items():
            if any(_places(chip, path)):
                _set(chip, path, value)
                chip["sources"][path] = source
                chip["measured_figures"].pop(path, None)
    for path in found.keys() & SYSTEM:
        _set(values, path, found[path])
        values["sources"][path.partition(".")[0]] = source
    changed = from_dict(values, origin=f"what-if {whole}")
    if source == _SOURCE:
        chips = tuple(map(record_changes, changed.chips, desc.chips))
        changed = changed.model_copy(update={"chips": chips})
    return WhatIf(changed, tuple(notes))


def _set(part: dict[str, Any], path: str, value: Any) -> None:
    """Set a value in a section, or in each of several; a rate becomes a fraction."""
    rate = next((rate for rate in RATES if rate.share == path), None)
    if rate and isinstance(value, str) and value.rstrip()[-1:].isalpha():
        for section, name in _places(part, path):
            del section[name]
        path = rate.rate
    for section, name in _places(part, path):
        section[name] = value


def _places(part: dict[str, Any], path: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Return the sections at a path, and the field in them; none of a chip that lacks the section."""
    *sections, name = path.split(".")
    parts: list[Any] = [part]
    for section in sections:
        inner = [p[section] for p in parts if p.get(section) is not None]
        parts = [item for p in inner for item in (cast(list[Any], p) if isinstance(p, list) else [p])]
    yield from ((p, name) for p in parts)


def _spell(value: Any) -> str:
    if not isinstance(value, list):
        return f"{value:g}"
    items = cast(list[Any], value)
    grid = len(items) == 2 and not any(isinstance(item, list) for item in items)
    return "x".join(map(str, items)) if grid else f"{len(items)} of them"
