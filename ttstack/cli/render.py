"""Plain values on a terminal: rows as a table, everything else as an outline."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from ttstack.report.formatting import short_location

_FUNCTION, _LOCATION = "function", "location"
_LOCATION_WIDTH = 40
_INDENT = " " * 4
_ANY = 10_000


def show(console: Console, data: Any) -> None:
    """Print rows (mappings with the same keys) as a table, else names and values, texts as they are."""
    if not data:
        console.print("nothing")
    elif _is_rows(data):
        _print_rows(console, data)
    else:
        for line in _outline(data, 0):
            console.print(line, soft_wrap=True)


def _is_rows(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(row, Mapping) for row in _items(data))


def _print_rows(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    """A line for each row, as long as it takes; under it, its entries that are mappings and fit no column."""
    table = _table(rows)
    natural = console.options.update(width=console.measure(table, options=console.options.update(width=_ANY)).maximum)
    head, *lines = console.render_lines(table, natural, pad=False)
    console.print(Segments([*head, Segment.line()]), soft_wrap=True, end="")
    for line, row in zip(lines, rows, strict=True):
        console.print(Segments([*line, Segment.line()]), soft_wrap=True, end="")
        if details := " ".join(_cell(value) for value in row.values() if isinstance(value, Mapping) and value):
            console.print(Text(f"{_INDENT}{details}", style="dim"), soft_wrap=True)


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A column for each key; none for the function where all rows are of one."""
    one = len({row.get(_FUNCTION) for row in rows}) == 1
    first = [n for n, v in rows[0].items() if not isinstance(v, Mapping) and not (one and n == _FUNCTION)]
    numeric = {name for row in rows for name in first if isinstance(row[name], int | float)}
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in first:
        table.add_column(name, justify="right" if name in numeric else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_entry(name, row[name]) for name in first))
    return table


def _entry(name: str, value: Any) -> str:
    text = _cell(value).replace("\n", " ")
    return short_location(text, _LOCATION_WIDTH) if name == _LOCATION else text


def _cell(value: Any) -> str:
    match value:
        case None:
            return "-"
        case Mapping():
            return " ".join(f"{k}={_cell(v)}" for k, v in cast(Mapping[str, Any], value).items())
        case list():
            return " ".join(map(_cell, cast(list[Any], value))) or "-"
        case int() if not isinstance(value, bool):
            return f"{value:,}"
        case _:
            return str(value)


def _outline(data: Any, depth: int) -> Iterator[str]:
    entries = cast(Mapping[str, Any], data).items() if isinstance(data, Mapping) else (("-", value) for value in data)
    for name, value in entries:
        title = f"{'  ' * depth}{name}:"
        if _nests(value):
            yield title
            yield from _outline(value, depth + 1)
        elif isinstance(value, str) and "\n" in value:
            yield title
            yield value
        else:
            yield f"{title} {_cell(value)}"


def _nests(value: Any) -> bool:
    return isinstance(value, Mapping) or any(isinstance(v, Mapping) for v in _items(value))


def _items(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []
