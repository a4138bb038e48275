"""Predicted and measured times as a table for terminals."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ttstack.calibrate.against_profile import ProfileComparison, ProfiledOp
from ttstack.report.facts import Fact
from ttstack.report.fit import GAP, fit_widths, head
from ttstack.report.formatting import count, duration, micros, percent, short_location, signed_percent
from ttstack.report.screen import fact_table

if TYPE_CHECKING:
    from rich.console import RenderableType

_TITLES = ("#", "op", "location", "predicted µs", "measured µs", "change", "likely", "explained by")
_TEXT = frozenset({"op", "location", "likely", "explained by"})
_LEAST = {"op": 12, "location": 10}


def render_profile(
    found: ProfileComparison, width: int, *, by_difference: bool = True, top: int | None = None
) -> "Iterator[RenderableType]":
    """Render the totals and the ops, largest difference first or in execution order."""
    yield Text(f"{found.report.heading}, compared with {found.profile}", style="bold")
    ops = (found.longest_differences if by_difference else list(found.ops))[:top]
    yield _table(ops, width)
    if len(found.ops) > len(ops):
        yield Text(f"and {len(found.ops) - len(ops)} more", style="dim")
    yield Text()
    yield fact_table(_facts(found), width)


def _facts(found: ProfileComparison) -> Iterator[Fact]:
    ops = len(found.ops) + len(found.missing)
    yield Fact("kernels", duration(found.measured_ns), f"measured, {duration(found.predicted_ns)} predicted")
    yield Fact("change", signed_percent(found.measured_ns / found.predicted_ns - 1))
    expected = sum(op.expected for op in found.ops)
    share = percent(expected / len(found.ops))
    yield Fact("likely", f"{expected} of {count(len(found.ops), 'op')}", f"{share} % are within the range expected")
    if found.missing:
        numbers = ", ".join(map(str, found.missing[:_SHOWN])) + (", ..." if len(found.missing) > _SHOWN else "")
        yield Fact("missing", f"{len(found.missing)} of {count(ops, 'op')}", f"not in the profile: {numbers}")
    if found.others:
        yield Fact("others", count(found.others, "kernel"), "in the profile alone")
    yield Fact("next", f"ttstack perf FILE --calibrate {found.profile} fits the device to the profile")


_SHOWN = 8
"""Maximum number of listed op numbers."""


def _table(ops: list[ProfiledOp], width: int) -> Table:
    rows = [_cells(op) for op in ops]
    natural = [max(map(len, column)) for column in zip(_TITLES, *rows, strict=True)]
    least = [min(needs, _LEAST.get(title, needs)) for title, needs in zip(_TITLES, natural, strict=True)]
    widths = dict(zip(_TITLES, fit_widths(natural, least, width), strict=True))
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for title in _TITLES:
        table.add_column(title, justify="left" if title in _TEXT else "right", no_wrap=True)
    for number, name, location, *cells in rows:
        table.add_row(number, head(name, widths["op"]), short_location(location, widths["location"]), *cells)
    return table


def _cells(op: ProfiledOp) -> tuple[str, ...]:
    speed = "" if op.expected or op.speed is None else f"{op.bound} at {100 * op.speed:.0f} %"
    return (
        str(op.index),
        op.name,
        op.location,
        micros(op.predicted_ns),
        micros(op.measured_ns),
        f"{100 * (op.measured_ns / op.predicted_ns - 1):+.0f} %",
        "?" if op.likely_ns is None else "yes" if op.expected else "no",
        speed,
    )
