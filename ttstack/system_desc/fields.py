"""The figures of a device by name: dotted paths, and what users write in their place."""

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
"""What else a figure is called."""
SYSTEM = ("mesh_shape", "links", *(f"links.{name}" for name in LinkDesc.model_fields))
"""Figures of the system; all others are of chips."""
RELEASE = "ttnn"
"""The field that is no figure, and brings those of a release."""

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
    """The path and its ends, with and without unit, with dots and without."""
    parts = path.split(".")
    ends = {".".join(parts[i:]) for i in range(len(parts))}
    bare = ends | {_UNITS.sub("", end) for end in ends}
    return frozenset(bare | {end.replace(".", "_") for end in bare})


def unknown(name: str, names: Names) -> str:
    """What is wrong with a name that means no figure, or several."""
    if paths := names.get(name.lower()):
        return f"'{name}' may be {' or '.join(paths)}"
    meant = did_you_mean(name, names)
    return f"'{name}' is no field of a chip" + (f"; {meant}" if meant else "")


def figure_at(part: object, path: str) -> Any:
    """The figure at a path; None where a section on the way is none."""
    for name in path.split("."):
        _, part = child(part, name)
    return part


def dimension_at(path: str) -> Dimension | None:
    """What measures a chip's figure; None of one that is no quantity."""
    *_, last = [None, *_fields(path, ChipDesc)]
    if last is None:
        return None
    metadata = [*last.metadata, *(m for t in _types(last) for m in getattr(t, "__metadata__", ()))]
    return next((m.func for m in metadata if isinstance(m, BeforeValidator) and isinstance(m.func, Dimension)), None)


def unpriced_reason(path: str) -> Unpriced | None:
    """Why no predicted time depends on a figure, as it or a section that it is in is marked; None where times do."""
    marks = [mark for field in _fields(path, ChipDesc) for mark in field.metadata if isinstance(mark, Unpriced)]
    return next(iter(marks), Unpriced.DESCRIBES if path in DESCRIBING else None)


def _fields(path: str, model: type[BaseModel]) -> Iterator[FieldInfo]:
    """The fields that lead to a figure, from the chip's own; none where there is no such figure."""
    name, _, rest = path.partition(".")
    if (field := model.model_fields.get(name)) is None:
        return
    yield field
    part = next((t for t in _types(field) if isinstance(t, type) and issubclass(t, BaseModel)), None)
    if rest and part:
        yield from _fields(rest, part)


def _types(field: FieldInfo) -> list[Any]:
    """What a field may be."""
    return [t for t in (field.annotation, *get_args(field.annotation)) if t is not None]
