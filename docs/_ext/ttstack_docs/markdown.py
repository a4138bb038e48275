"""Markdown from plain values."""

import inspect
from collections.abc import Iterable, Sequence


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown, in which only the column separator is escaped."""
    lines = [_row(titles), _row(["---"] * len(titles)), *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(c.split()).replace("|", "\\|") for c in cells) + " |"


def code(text: str, language: str = "text") -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def literal(value: object) -> str:
    """A value in code font."""
    return f"`{value}`"


def summary(thing: object) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def paragraph(thing: object) -> str:
    """The whole docstring as one paragraph."""
    return " ".join((inspect.getdoc(thing) or "").split())
