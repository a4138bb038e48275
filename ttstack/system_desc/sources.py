"""Sources of parameters: `sources` maps a dotted path, or a section of them, to a citation."""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from pydantic import BaseModel, Field

from ttstack.system_desc.base import Desc, Fault, Sources

_CITED_APART = ("sources", "chips", "revisions", "measured_figures")
"""Fields whose figures have their own citations, or are those of other fields."""


def find_section(sources: Mapping[str, str], path: str) -> str | None:
    """Return the key of `sources` that names `path` or the nearest section around it."""
    while path and path not in sources:
        path = path.rpartition(".")[0]
    return path or None


def child(value: object, name: str) -> tuple[bool, object]:
    """Return whether a part of a description has a field of that name, and its value."""
    if isinstance(value, BaseModel):
        known = name in type(value).model_fields
        return known, getattr(value, name) if known else None
    if isinstance(value, dict):
        table = cast(dict[str, object], value)
        return name in table, table.get(name)
    return False, None


def has_field(desc: object, path: str) -> bool:
    """Return True if a description has a field at a dotted path, with any value."""
    found, value = True, desc
    for name in path.split("."):
        found, value = child(value, name)
        if not found:
            return False
    return True


def _has_number(value: object) -> bool:
    if isinstance(value, tuple):
        return any(_has_number(item) for item in cast(tuple[object, ...], value))
    return isinstance(value, int | float | BaseModel)


def figures(value: object, path: str = "") -> Iterator[str]:
    """Return the dotted paths of all numbers in a description; a tuple counts as one figure."""
    if isinstance(value, BaseModel):
        children = {name: getattr(value, name) for name in type(value).model_fields if name not in _CITED_APART}
    elif isinstance(value, dict):
        children = cast(dict[str, object], value)
    else:
        if _has_number(value):
            yield path
        return
    for name, child in children.items():
        yield from figures(child, f"{path}.{name}" if path else name)


class SourcedDesc(Desc):
    """A description with sources of its figures."""

    sources: Sources = Field(
        default={},
        description=(
            "Source of each figure, by dotted path of the figure or its section. FIT, DERIVED and "
            "ESTIMATE mark unpublished figures; text."
        ),
    )

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Citations are of fields that there are."""
        return ((((("sources", key)), "names no field") for key in self.sources if not has_field(self, key)),)

    def source_of(self, path: str) -> str | None:
        """Return the citation of the figure at the dotted `path`, or None."""
        key = find_section(self.sources, path)
        return None if key is None else self.sources[key]

    def unsourced(self) -> tuple[str, ...]:
        """Return the dotted paths of all figures without a citation."""
        return tuple(path for path in figures(self) if self.source_of(path) is None)
