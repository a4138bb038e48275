"""Plain values on a terminal: rows as a table, everything else as an outline."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from textwrap import wrap
from typing import Any, cast

from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from ttstack.report.fit import GAP
from ttstack.report.formatting import short_location

_FUNCTION, _LOCATION = "function", "location"
_LOCATION_WIDTH = 40
_DECIMALS = 2
_INDENT = " " * 4
_ANY = 10_000


def show(console: Console, data: Any) -> None:
    """Print rows (mappings with the same keys) as a table, otherwise names and values; texts are unchanged."""
    if not data:
        console.print("nothing")
    elif _is_rows(data):
        _print_rows(console, data)
    else:
        for line in _outline(data, 0, console.width):
            console.print(line, soft_wrap=True)


def _is_rows(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(row, Mapping) for row in _items(data))


def _print_rows(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a line for each row; below it, entries that are mappings or do not fit a column.

    Lines are wrapped in a terminal, and not otherwise.
    """
    width = console.width if console.is_terminal or "COLUMNS" in os.environ else _ANY
    names = _columns(rows)
    kept = names[: _fitting(names, rows, width)]
    table = _table(rows, kept)
    natural = console.options.update(width=console.measure(table, options=console.options.update(width=_ANY)).maximum)
    head, *lines = console.render_lines(table, natural, pad=False)
    console.print(Segments([*head, Segment.line()]), soft_wrap=True, end="")
    for line, row in zip(lines, rows, strict=True):
        console.print(Segments([*line, Segment.line()]), soft_wrap=True, end="")
        details = [f"{name}: {_entry(name, row[name])}" for name in names[len(kept) :]]
        details += [_cell(value) for value in row.values() if isinstance(value, Mapping) and value]
        for detail in _wrapped(details, width):
            console.print(Text(f"{_INDENT}{detail}", style="dim"), soft_wrap=True)


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return all keys without mappings as values, and without the function if all rows have the same."""
    one = len({row.get(_FUNCTION) for row in rows}) == 1
    return [n for n, v in rows[0].items() if not isinstance(v, Mapping) and not (one and n == _FUNCTION)]


def _fitting(names: Sequence[str], rows: Sequence[Mapping[str, Any]], width: int) -> int:
    """Return how many of the columns fit."""
    needs = [max(len(name), *(len(_entry(name, row[name])) for row in rows)) for name in names]
    ends = list(accumulate(need + GAP for need in needs))
    return max(1, sum(end - GAP <= width for end in ends))


def _wrapped(details: Sequence[str], width: int) -> list[str]:
    """Wrap all details at words."""
    return wrap("  ".join(details), max(width - len(_INDENT), 1), break_long_words=False, break_on_hyphens=False)


def _table(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Table:
    numeric = {name for row in rows for name in names if isinstance(row[name], int | float)}
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, justify="right" if name in numeric else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_entry(name, row[name]) for name in names))
    return table


def _entry(name: str, value: Any) -> str:
    text = _cell(value).replace("\n", " ")
    return short_location(text, _LOCATION_WIDTH) if name == _LOCATION else text


def _cell(value: Any) -> str:
    match value:
        case None:
            return "-"
        case Mapping():
            return " ".join(f"{k}={_setting(v)}" for k, v in cast(Mapping[str, Any], value).items())
        case list():
            return " ".join(map(_cell, cast(list[Any], value))) or "-"
        case int() if not isinstance(value, bool):
            return f"{value:,}"
        case float():
            return f"{value:z,.{_DECIMALS}f}"
        case _:
            return str(value) or "-"


def _setting(value: Any) -> str:
    """Format a setting with all digits."""
    if isinstance(value, list):
        return " ".join(map(_setting, cast(list[Any], value))) or "-"
    return f"{value:.6g}" if isinstance(value, float) else _cell(value)


def _outline(data: Any, depth: int, width: int) -> Iterator[str]:
    entries = cast(Mapping[str, Any], data).items() if isinstance(data, Mapping) else (("-", value) for value in data)
    for name, value in entries:
        title = f"{'  ' * depth}{name}:"
        if _nests(value):
            yield title
            yield from _outline(value, depth + 1, width)
        elif isinstance(value, str) and "\n" in value:
            yield title
            yield value
        elif len(line := f"{title} {_cell(value)}") <= width:
            yield line
        else:
            indent = "  " * (depth + 1)
            yield title
            yield from (f"{indent}{part}" for part in _broken(_cell(value), width - len(indent)))


def _broken(text: str, width: int) -> Iterator[str]:
    """Wrap a text after commas or words."""
    line = ""
    for part in re.split("(?<=[, ])", text):
        if line and len(line) + len(part.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += part
    yield line


def _nests(value: Any) -> bool:
    return isinstance(value, Mapping) or any(isinstance(v, Mapping) for v in _items(value))


def _items(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []
