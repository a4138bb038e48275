"""Selection of ops by users: by printed location, full or abbreviated, by op name, or by both.

A location is `file:line`, or `name (file:line)` where the model gave the op a name.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

ELLIPSIS = "…"
"""Marks the omitted start of a location in a table."""


def parts(location: str) -> tuple[str, str]:
    """Name and place of a location; one that has no name is all place."""
    name, bracket, place = location.partition(" (")
    return (name, place.removesuffix(")")) if bracket else ("", location)


def file_and_line(location: str) -> str:
    """Return a location without the folders of its file."""
    name, place = parts(location)
    short = place.rpartition("/")[2]
    return f"{name} ({short})" if name else short


def find_ops(text: str, ops: Sequence[tuple[str, str]]) -> list[int]:
    """Return the ops that a text describes, from their names and locations.

    It is a location, with `*`, `?` and `[...]` for any text, character, set; if there is none such, a location without
    some of its folders, its name or its place alone, or its end after `…`; else the name of an op; else a name, a blank
    and one of these.
    """
    of_any = [i for i, (_, location) in enumerate(ops) if location == text or fnmatchcase(location, text)]
    if found := of_any or [i for i, (_, location) in enumerate(ops) if _abbreviates(text, location)]:
        return found
    if found := [i for i, (name, _) in enumerate(ops) if name == text]:
        return found
    name, blank, rest = text.partition(" ")
    named = [i for i, (other, _) in enumerate(ops) if other == name] if blank else []
    return [named[i] for i in find_ops(rest, [ops[i] for i in named])] if named else []


def _abbreviates(text: str, location: str) -> bool:
    if text.startswith(ELLIPSIS):
        return any(form.endswith(text[1:]) for form in (location, parts(location)[0]))
    forms = (location, *parts(location), file_and_line(location))
    return any(form and (form == text or form.endswith(f"/{text}") or fnmatchcase(form, text)) for form in forms)
