"""A comparison as a table for terminals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ttstack.report.fit import GAP, fit_widths, head
from ttstack.report.formatting import count, duration, micros, short_location, signed_percent
from ttstack.report.model import compare_headings
from ttstack.report.pairs import ComparisonFigures, OpPair, Order

if TYPE_CHECKING:
    from rich.console import RenderableType

_TITLES = ("#", "op", "location", "before µs", "after µs", "change", "bound")
_TEXTS = ("op", "location", "bound")
_LEAST = 8
"""Characters of a text below which a narrow table does not cut it."""


def render(
    comparison: ComparisonFigures, width: int, *, by: Order = "order", top: int | None = None
) -> "Iterator[RenderableType]":
    """Render the title, the ops (the first `top` of the order), the totals, and notes."""
    before, after = comparison.before, comparison.after
    yield Text(compare_headings(before, after, "->"), style="bold")
    pairs = comparison.sort_pairs(by)[:top]
    if pairs:
        yield _table(pairs, width)
    left = len(comparison.pairs) - len(pairs)
    if left:
        yield Text(f"and {left} more", style="dim")
    yield Text()
    yield Text(f"{_ops(len(before.ops), len(after.ops))}: {_change(before.total_ns, after.total_ns)}")
    for note in comparison.notes:
        yield Text(f"note: {note}", style="yellow")


def _table(pairs: list[OpPair], width: int) -> Table:
    rows = [_cells(pair) for pair in pairs]
    natural = [max(map(len, column)) for column in zip(_TITLES, *rows, strict=True)]
    least = [min(n, _LEAST) if t in _TEXTS else n for t, n in zip(_TITLES, natural, strict=True)]
    _, op_width, location_width, *_, bound_width = fit_widths(natural, least, width)
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for title in _TITLES:
        right = title not in _TEXTS
        table.add_column(title, justify="right" if right else "left", no_wrap=True)
    for number, op, location, *figures, bound in rows:
        place = Text(short_location(location, location_width), style="dim")
        table.add_row(number, head(op, op_width), place, *figures, head(bound, bound_width))
    return table


def _cells(pair: OpPair) -> tuple[str, ...]:
    return (
        _numbers(pair),
        pair.op.name,
        pair.op.location,
        micros(pair.before_ns) if pair.before else "-",
        micros(pair.after_ns) if pair.after else "-",
        _relative(pair),
        _bounds(pair),
    )


def _numbers(pair: OpPair) -> str:
    """Return the op's number, or both numbers if they differ."""
    numbers = [str(op.index) if op else "-" for op in (pair.before, pair.after)]
    return "→".join(dict.fromkeys(numbers))


def _relative(pair: OpPair) -> str:
    if pair.before is None:
        return "new"
    if pair.after is None:
        return "gone"
    return signed_percent(pair.delta_ns / pair.before_ns) if pair.before_ns else "-"


def _bounds(pair: OpPair) -> str:
    names = [op.bound for op in (pair.before, pair.after) if op is not None]
    return "→".join(dict.fromkeys(names))


def _ops(before: int, after: int) -> str:
    return count(after, "op") if before == after else f"{before:,} -> {count(after, 'op')}"


def _change(before_ns: float, after_ns: float) -> str:
    share = f" ({signed_percent(after_ns / before_ns - 1)})" if before_ns else ""
    return f"{duration(before_ns)} -> {duration(after_ns)}{share}"
