"""The columns of a report that people read: what stands in them, and which ones fit a width."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ttstack.cost import Confidence, Term
from ttstack.report.formatting import layouts, micros, percent, present_terms
from ttstack.report.model import OpReport, ReportFigures

LOCATION = "location"
MIN_LOCATION = 16
"""Characters below which a location tells nothing."""
GOOD_LOCATION = 28
"""Characters that a location gets before terms of the time are shown."""
GAP = 2
"""Characters between columns."""
_BEFORE_LOCATION = 2
"""Columns up to this rank come before a location's growth."""


@dataclass(frozen=True)
class Column:
    """One column; those of the lowest rank are dropped last."""

    title: str
    cell: Callable[[OpReport], str]
    rank: int
    text: bool = False
    """Whether it is text, which is set left."""


def columns(report: ReportFigures) -> list[Column]:
    """All columns that say anything, in their order; an op's `µs` are those of its kernel and of the gap after it."""
    return [
        Column("#", lambda op: str(op.index), 0),
        Column("op", lambda op: op.name, 0, text=True),
        Column(LOCATION, lambda op: op.location, 0, text=True),
        Column("µs", lambda op: micros(op.elapsed_ns), 0),
        Column("%", lambda op: percent(report.share(op)), 0),
        Column("bound", lambda op: op.bound, 0, text=True),
        Column("±%", lambda op: error_text(op.confidence), 2),
        Column("cores", lambda op: str(op.cores), 1),
        Column("FLOP%", lambda op: percent(op.flops_utilisation), 2),
        Column("DRAM%", lambda op: percent(op.dram_utilisation), 2),
        *(_term(term) for term in present_terms(report.ops)),
        Column("kernel", lambda op: micros(op.kernel_ns), 5),
        Column("roofline", lambda op: micros(op.roofline_ns), 7),
        Column("layout", layouts, 6, text=True),
    ]


_SKEWED = 3
"""How much larger one side of an interval is, where both are given."""


def error_text(confidence: Confidence) -> str:
    """Per cent within which two of three measurements of ops like it lie, with a star where there are none.

    Two numbers where they lie more to one side.
    """
    if confidence.error is None:
        return "?"
    star, low, high = "*" if confidence.extrapolated else "", confidence.low, confidence.high
    if low is not None and high is not None and max(-low, high) > _SKEWED * min(-low, high):
        return f"{100 * low:+.0f}{100 * high:+.0f}{star}"
    return f"{100 * confidence.error:.0f}{star}"


def _term(term: Term) -> Column:
    return Column(term.value, lambda op: micros(op.terms.get(term, 0.0)), term.rank)


def fit_columns(found: Sequence[Column], ops: Sequence[OpReport], width: int) -> tuple[list[Column], int]:
    """The columns that fit into `width` characters, and how many of them the location gets."""
    needs = {c.title: _width(c, ops) for c in found}
    longest = needs[LOCATION]
    needs[LOCATION] = min(longest, MIN_LOCATION)
    kept = [c for c in found if not c.rank]
    left = width + GAP - sum(needs[c.title] + GAP for c in kept)
    ranked = sorted((c for c in found if c.rank), key=lambda c: c.rank)
    left = _take([c for c in ranked if c.rank <= _BEFORE_LOCATION], needs, left, kept)
    grown = max(min(left, longest - needs[LOCATION], GOOD_LOCATION - needs[LOCATION]), 0)
    left = _take([c for c in ranked if c.rank > _BEFORE_LOCATION], needs, left - grown, kept)
    return [c for c in found if c in kept], min(longest, needs[LOCATION] + grown + max(left, 0))


def _take(wanted: Sequence[Column], needs: Mapping[str, int], left: int, kept: list[Column]) -> int:
    """Put into `kept` what fits into `left` characters; gives what is left then."""
    for column in wanted:
        if needs[column.title] + GAP <= left:
            left -= needs[column.title] + GAP
            kept.append(column)
    return left


def _width(column: Column, ops: Sequence[OpReport]) -> int:
    return max(len(column.title), *(len(column.cell(op)) for op in ops), 0)
