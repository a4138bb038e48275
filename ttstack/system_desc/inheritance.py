"""A chip that names a `base`: the chip of another file, with some of its fields replaced."""

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, cast

from ttstack.diagnostics import SystemDescError
from ttstack.system_desc.faults import Fault, Path
from ttstack.system_desc.releases import is_release
from ttstack.system_desc.revisions import revise
from ttstack.system_desc.sources import find_section

if TYPE_CHECKING:
    from ttstack.system_desc.document import Document

Find = Callable[[str], "Document"]


def resolve_bases(document: "Document", find: Find) -> None:
    """Replace, in place, each chip that names a base by the base's chip under the chip's own fields."""
    chips = _chips(document)
    for index, chip in enumerate(chips):
        if isinstance(chip, dict) and "base" in chip:
            chips[index] = _resolve(document, ("chips", index), cast(dict[str, Any], chip), find)


def _chips(document: "Document") -> list[Any]:
    """Return the document's own list of chips; empty if it has none."""
    content = document.value
    chips = cast(dict[str, Any], content).get("chips") if isinstance(content, dict) else None
    return cast(list[Any], chips) if isinstance(chips, list) else []


def _resolve(document: "Document", path: Path, chip: dict[str, Any], find: Find) -> dict[str, Any]:
    base = _base_document(document, path, chip["base"], find)
    own = {key: value for key, value in chip.items() if key != "base"}
    if base is None:
        document.unresolved.add(path)
        return own
    document.faults.extend(base.faults)
    for place, mark in base.marks.items():
        if place[:2] == ("chips", 0):
            document.marks.setdefault((*path, *place[2:]), mark)
    return _over(_chips(base)[0], own, document.file)


def _base_document(document: "Document", path: Path, name: object, find: Find) -> "Document | None":
    """Return the base's document; None with a fault if it does not exist or does not have exactly one chip."""
    where = (*path, "base")
    mark = document.marks[where]
    if not isinstance(name, str):
        document.faults.append(Fault("expected the name of a preset or file", mark, where))
        return None
    try:
        base = find(name)
    except SystemDescError as error:
        found = error.diagnostic
        notes = found.notes if found.loc else ("; ".join(filter(None, (found.message, found.hint, *found.notes))),)
        document.faults += [Fault(note, mark, where) for note in notes]
        return None
    chips = _chips(base)
    if len(chips) != 1 or not isinstance(chips[0], dict):
        document.faults.append(Fault(f"'{name}' does not describe exactly one chip", mark, where))
        return None
    return base


def _over(base: dict[str, Any], own: dict[str, Any], file: str) -> dict[str, Any]:
    """Return `own` merged over `base`; figures of `own` without a source get the source `file`.

    A release of its own gives `base` the figures of that release. Of figures that it replaces no others are known.
    """
    if is_release(own.get("ttnn")):
        base = revise(base, str(own["ttnn"]))
    figures = {key: value for key, value in own.items() if key != "sources"}
    given = _strings(own.get("sources"))
    replaced = tuple(_replace(base, figures, ""))
    kept = {
        key: source
        for key, source in _strings(base.get("sources")).items()
        if not any(key == path or key.startswith(f"{path}.") for path in replaced)
    }
    set_here = {path: f"set in {file}" for path in replaced if find_section(given, path) is None}
    merged = _merge({key: value for key, value in base.items() if key != "sources"}, figures)
    merged["revisions"] = _rows(base, own, replaced)
    odd_sources = "sources" in own and not isinstance(own["sources"], dict)
    return merged | {"sources": own["sources"] if odd_sources else kept | set_here | given}


def _rows(base: dict[str, Any], own: dict[str, Any], replaced: Collection[str]) -> object:
    """Return `own`'s entries of `revisions`, and those of `base` for figures that `own` does not set or list."""
    given: object = own.get("revisions", [])
    known: object = base.get("revisions", [])
    if not isinstance(given, list) or not isinstance(known, list):
        return known if isinstance(given, list) else given
    rows = cast(list[Any], given)
    taken = (*replaced, *map(_figure, rows))
    others = (row for row in cast(list[Any], known) if not any(_is_in(_figure(row), path) for path in taken))
    return [*rows, *others]


def _figure(row: object) -> str:
    return str(cast(dict[str, Any], row).get("figure")) if isinstance(row, dict) else ""


def _is_in(figure: str, path: str) -> bool:
    return figure == path or figure.startswith(f"{path}.")


def _strings(sources: object) -> dict[str, Any]:
    return cast(dict[str, Any], sources) if isinstance(sources, dict) else {}


def _merge(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in own.items():
        under = base.get(key)
        both = isinstance(under, dict) and isinstance(value, dict)
        merged[key] = _merge(cast(dict[str, Any], under), cast(dict[str, Any], value)) if both else value
    return merged


def _replace(base: dict[str, Any], own: dict[str, Any], prefix: str) -> Iterator[str]:
    """Return the dotted paths of `base` that `own` replaces; fields that the base lacks are left to validation."""
    for key, value in own.items():
        under, path = base.get(key), f"{prefix}{key}"
        if isinstance(under, dict) and isinstance(value, dict):
            yield from _replace(cast(dict[str, Any], under), cast(dict[str, Any], value), f"{path}.")
        elif key in base or prefix == "vector.cycles_per_tile.":
            yield path
