"""A comparison as a table for terminals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ttstack.report.columns import GAP
from ttstack.report.compare import Comparison, OpPair, Order
from ttstack.report.formatting import count, duration, micros, short_location

if TYPE_CHECKING:
    from rich.console import RenderableType

_OTHERS = 80
"""Characters of all columns but the location."""


def render(
    comparison: Comparison, width: int, *, by: Order = "order", top: int | None = None
) -> "Iterator[RenderableType]":
    """The title, the ops (the first `top` of the order), the totals, and what is to be known."""
    before, after = comparison.before, comparison.after
    yield Text(f"{before.function} on {before.system} -> {after.function} on {after.system}", style="bold")
    pairs = comparison.sort_pairs(by)[:top]
    if pairs:
        yield _table(pairs, max(width - _OTHERS, 16))
    left = len(comparison.pairs) - len(pairs)
    if left:
        yield Text(f"and {left} more", style="dim")
    yield Text()
    yield Text(f"{count(len(comparison.pairs), 'op')}: {_change(before.total_ns, after.total_ns)}")
    for note in comparison.notes:
        yield Text(f"note: {note}", style="yellow")


def _table(pairs: list[OpPair], width: int) -> Table:
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("op", no_wrap=True)
    table.add_column("location", no_wrap=True)
    for title in ("µs", "then", "change"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("bound", no_wrap=True)
    for pair in pairs:
        table.add_row(
            _numbers(pair),
            pair.op.name,
            Text(short_location(pair.op.location, width), style="dim"),
            micros(pair.before_ns) if pair.before else "-",
            micros(pair.after_ns) if pair.after else "-",
            _relative(pair),
            _bounds(pair),
        )
    return table


def _numbers(pair: OpPair) -> str:
    """The op's number, before and after where that differs."""
    numbers = [str(op.index) if op else "-" for op in (pair.before, pair.after)]
    return " -> ".join(dict.fromkeys(numbers))


def _relative(pair: OpPair) -> str:
    if pair.before is None:
        return "new"
    if pair.after is None:
        return "gone"
    return f"{pair.delta_ns / pair.before_ns:+.1%}" if pair.before_ns else "-"


def _bounds(pair: OpPair) -> str:
    names = [op.bound for op in (pair.before, pair.after) if op is not None]
    return " -> ".join(dict.fromkeys(names))


def _change(before_ns: float, after_ns: float) -> str:
    share = f" ({after_ns / before_ns - 1:+.1%})" if before_ns else ""
    return f"{duration(before_ns)} -> {duration(after_ns)}{share}"
