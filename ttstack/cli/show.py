"""Plain values on a terminal: rows as a table, everything else as an outline."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


def show(console: Console, data: Any) -> None:
    """Print rows (mappings with the same keys) as a table, else names and values, texts as they are."""
    if not data:
        console.print("nothing")
    elif _is_rows(data):
        console.print(_table(data))
    else:
        for line in _outline(data, 0):
            console.print(line, soft_wrap=True)


def _is_rows(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(row, Mapping) for row in data)


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, value in rows[0].items():
        number = isinstance(value, int | float)
        table.add_column(name, justify="right" if number else "left", overflow="fold", no_wrap=number)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    match value:
        case None:
            return "-"
        case Mapping():
            return " ".join(f"{k}={_cell(v)}" for k, v in value.items())
        case list():
            return " ".join(map(_cell, value)) or "-"
        case int() if not isinstance(value, bool):
            return f"{value:,}"
    return str(value)


def _outline(data: Any, depth: int) -> Iterator[str]:
    entries = data.items() if isinstance(data, Mapping) else (("-", value) for value in data)
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
    return isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(v, Mapping) for v in value))
