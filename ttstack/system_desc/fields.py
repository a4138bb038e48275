"""The figures of a device by name: dotted paths and their short names."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, get_args

from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from ttstack.support.suggestion import did_you_mean
from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.quantities import Dimension
from ttstack.system_desc.shares import RATES
from ttstack.system_desc.sources import child, figures
from ttstack.system_desc.system import LinkDesc, SystemDesc
from ttstack.system_desc.unpriced import DESCRIBING, Unpriced

_UNITS = re.compile(r"_(bytes_per_second|bytes_per_cycle|per_second|per_cycle|bytes|hz|ns|cycles|fraction)$")
_ALIASES = {"clock": "clock.nominal_hz", "cores": "grid", "channels": "dram.num_channels"}
"""Other names of a parameter."""
SYSTEM = ("mesh_shape", "links", *(f"links.{name}" for name in LinkDesc.model_fields))
"""Figures of the system; all others are of chips."""
RELEASE = "ttnn"
"""The field that is not a figure, and brings those of a release."""

Names = Mapping[str, tuple[str, ...]]
"""Each name with the paths that it may mean."""


def names_of(desc: SystemDesc) -> Names:
    """Every name of every figure: its path, and that without unit, section or dots."""
    return _names((desc,))


@lru_cache(16)
def _names(of: tuple[SystemDesc]) -> Names:
    (desc,) = of
    paths = list(dict.fromkeys([*(path for chip in desc.chips for path in figures(chip)), *SYSTEM, RELEASE]))
    exact = {path: (path,) for path in paths} | {path.replace(".", "_"): (path,) for path in paths}
    rates = {rate.rate: (rate.share,) for rate in RATES if rate.share in exact}
    found: dict[str, tuple[str, ...]] = {}
    for path in paths:
        for name in _short(path):
            if name not in exact:
                found[name] = (*found.get(name, ()), path)
    return found | {name: (path,) for name, path in _ALIASES.items()} | rates | exact


@lru_cache(4096)
def _short(path: str) -> frozenset[str]:
    """Return the path and its ends, with and without unit, with dots and without."""
    parts = path.split(".")
    ends = {".".join(parts[i:]) for i in range(len(parts))}
    bare = ends | {_UNITS.sub("", end) for end in ends}
    return frozenset(bare | {end.replace(".", "_") for end in bare})


def unknown(name: str, names: Names) -> str:
    """Return the error for a name that is unknown or ambiguous; for a section, with its fields."""
    if paths := names.get(name.lower()):
        return f"'{name}' may be {' or '.join(paths)}"
    if name.lower() not in (of_section := _sections(names)) and (meant := did_you_mean(name, names)):
        return f"'{name}' is not a field of a chip; {meant}"
    section = next((part for part in re.split(r"[._]", name.lower()) if part in of_section), None)
    if section is None:
        return f"'{name}' is not a field of a chip"
    kind = "a section" if section == name.lower() else "not a field of a chip"
    fields = sorted(of_section[section], key=lambda field: field.count("."))
    more = f" and {len(fields) - _LISTED} more" if len(fields) > _LISTED else ""
    return f"'{name}' is {kind}; {section} has {', '.join(fields[:_LISTED])}{more}"


def _sections(names: Names) -> dict[str, list[str]]:
    """Return the first parts of dotted paths, each with the remaining parts."""
    found: dict[str, list[str]] = {}
    for path in dict.fromkeys(path for paths in names.values() for path in paths):
        section, dot, rest = path.partition(".")
        if dot:
            found.setdefault(section, []).append(rest)
    return found


_LISTED = 8
"""Fields of a section that an error names."""
COMMON = "cores=8x8, clock=1.2GHz, l1_size=2MiB, channels=16, dram_peak=1TB/s, link_bytes_per_cycle=64"
"""Changes of a device by short names, for help and errors."""


def figure_at(part: object, path: str) -> Any:
    """Return the figure at a path; None if a section of the path is missing."""
    for name in path.split("."):
        _, part = child(part, name)
    return part


def dimension_at(path: str) -> Dimension | None:
    """Return the dimension of a chip's parameter; None if it is not a quantity."""
    *_, last = [None, *_fields(path, ChipDesc)]
    if last is None:
        return None
    metadata = [*last.metadata, *(m for t in _types(last) for m in getattr(t, "__metadata__", ()))]
    return next((m.func for m in metadata if isinstance(m, BeforeValidator) and isinstance(m.func, Dimension)), None)


def unpriced_reason(path: str) -> Unpriced | None:
    """Return why no predicted time depends on a figure, by the mark of it or its section; None if times do."""
    marks = [mark for field in _fields(path, ChipDesc) for mark in field.metadata if isinstance(mark, Unpriced)]
    return next(iter(marks), Unpriced.DESCRIBES if path in DESCRIBING else None)


def _fields(path: str, model: type[BaseModel]) -> Iterator[FieldInfo]:
    """Yield the fields from the chip to a figure; none if the figure does not exist."""
    name, _, rest = path.partition(".")
    if (field := model.model_fields.get(name)) is None:
        return
    yield field
    part = next((t for t in _types(field) if isinstance(t, type) and issubclass(t, BaseModel)), None)
    if rest and part:
        yield from _fields(rest, part)


def _types(field: FieldInfo) -> list[Any]:
    """Return the possible types of a field."""
    return [t for t in (field.annotation, *get_args(field.annotation)) if t is not None]
