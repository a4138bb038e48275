"""The figures of a device by name: dotted paths, and what users write in their place."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, BeforeValidator

from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.quantities import Dimension
from ttstack.system_desc.shares import RATES
from ttstack.system_desc.sources import child, figures
from ttstack.system_desc.system import LinkDesc, SystemDesc

_UNITS = re.compile(r"_(bytes_per_second|bytes_per_cycle|per_second|per_cycle|bytes|hz|ns|cycles|fraction)$")
_ALIASES = {"clock": "clock.nominal_hz", "cores": "grid", "channels": "dram.num_channels"}
"""What else a figure is called."""
SYSTEM = ("mesh_shape", "links", *(f"links.{name}" for name in LinkDesc.model_fields))
"""Figures of the system; all others are of chips."""

Names = Mapping[str, tuple[str, ...]]
"""Each name with the paths that it may mean."""


def names_of(desc: SystemDesc) -> Names:
    """Every name of every figure: its path, and that without unit, section or dots."""
    paths = list(dict.fromkeys([*(path for chip in desc.chips for path in figures(chip)), *SYSTEM]))
    exact = {path: (path,) for path in paths} | {path.replace(".", "_"): (path,) for path in paths}
    rates = {rate.rate: (rate.share,) for rate in RATES if rate.share in exact}
    found: dict[str, tuple[str, ...]] = {}
    for path in paths:
        for name in _short(path) - exact.keys():
            found[name] = (*found.get(name, ()), path)
    return found | {name: (path,) for name, path in _ALIASES.items()} | rates | exact


def _short(path: str) -> set[str]:
    """The path and its ends, with and without unit, with dots and without."""
    parts = path.split(".")
    ends = {".".join(parts[i:]) for i in range(len(parts))}
    bare = ends | {_UNITS.sub("", end) for end in ends}
    return bare | {end.replace(".", "_") for end in bare}


def unknown(name: str, names: Names) -> str:
    """What is wrong with a name that means no figure, or several."""
    if paths := names.get(name.lower()):
        return f"'{name}' may be {' or '.join(paths)}"
    close = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    return f"'{name}' is no field of a chip" + (f"; did you mean '{close[0]}'?" if close else "")


def figure_at(part: object, path: str) -> Any:
    """The figure at a path; None where a section on the way is none."""
    for name in path.split("."):
        _, part = child(part, name)
    return part


def dimension_at(path: str, model: type[BaseModel] = ChipDesc) -> Dimension | None:
    """What measures a chip's figure; None of one that is no quantity."""
    name, _, rest = path.partition(".")
    field = model.model_fields.get(name)
    if field is None:
        return None
    inner = [t for t in (field.annotation, *get_args(field.annotation)) if t is not None]
    part = next((t for t in inner if isinstance(t, type) and issubclass(t, BaseModel)), None)
    if rest and part:
        return dimension_at(rest, part)
    metadata = [*field.metadata, *(m for t in inner for m in getattr(t, "__metadata__", ()))]
    return next((m.func for m in metadata if isinstance(m, BeforeValidator) and isinstance(m.func, Dimension)), None)
