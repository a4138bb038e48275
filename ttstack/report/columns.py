"""The columns of a report for people: their cells, and the choice of columns that fit a width."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ttstack.cost import Term
from ttstack.report.fit import GAP, fit_widths
from ttstack.report.formatting import micros, percent, short_layout
from ttstack.report.model import OpReport, ReportFigures

LOCATION = "location"
MIN_LOCATION = 16
"""Characters below which a location tells nothing."""
GOOD_LOCATION = 28
"""Characters that a location gets before terms of the time are shown."""
OP = "op"
MIN_OP = 12
"""Characters of an op's name below which a narrow table does not cut it."""
_BEFORE_NAMES = 1
"""Columns of this rank come before the full names of ops."""
_BEFORE_LOCATION = 2
"""Columns up to this rank come before a location's growth."""


@dataclass(frozen=True)
class Column:
    """One column; those of the lowest rank are dropped last."""

    title: str
    cell: Callable[[OpReport], str]
    rank: int
    text: bool = False
    """True for text, which is left-aligned."""


_VISITED = Column("tiles%", lambda op: "" if op.visited_share is None else percent(op.visited_share), 2)
"""Tiles of scores that attention visits."""


_TIMES = Column("times", lambda op: str(op.times) if op.times > 1 else "", 0)
"""Number of calls of the time step that contains the op."""


def op_text(op: OpReport) -> str:
    """Return the op's name; for a composite op with its number of kernels: `embedding (13)`."""
    return f"{op.name} ({len(op.calls)})" if len(op.calls) > 1 else op.name


def likely_text(op: OpReport) -> str:
    """Return the interval of the op's time: `8.0-18.8`; `?` if the error is unknown."""
    likely = op.likely_ns
    return "?" if likely is None else "-".join(map(micros, likely))


def columns(report: ReportFigures, ops: Sequence[OpReport]) -> list[Column]:
    """Return all columns that say anything of ops, in their order.

    `µs` are those of the kernel and of the gap after it.
    """
    return [
        Column("#", lambda op: str(op.index), 0),
        Column(OP, op_text, 0, text=True),
        Column(LOCATION, lambda op: op.location, 0, text=True),
        *([_TIMES] if any(op.times > 1 for op in ops) else ()),
        Column("µs", lambda op: micros(op.elapsed_ns), 0),
        Column("%", lambda op: percent(report.share(op)), 0),
        Column("bound", lambda op: op.bound, 0, text=True),
        Column("trust", lambda op: op.confidence.trust, 1, text=True),
        Column("cores", lambda op: str(op.cores), 2),
        Column("likely µs", likely_text, 2),
        Column("FLOP%", lambda op: percent(op.flops_utilisation), 2),
        Column("DRAM%", lambda op: percent(op.dram_utilisation), 2),
        *([_VISITED] if any(op.visited_share is not None for op in report.ops) else ()),
        *(_term(term) for term in present_terms(report.ops)),
        Column("kernel", lambda op: micros(op.kernel_ns), 5),
        Column("roofline", lambda op: micros(op.roofline_ns), 7),
        Column("layout", layouts, 6, text=True),
    ]


def _term(term: Term) -> Column:
    return Column(term.value, lambda op: micros(op.terms.get(term, 0.0)), term.rank)


def fit_columns(
    found: Sequence[Column], ops: Sequence[OpReport], width: int, names: int = 0
) -> tuple[list[Column], dict[str, int]]:
    """Return the columns that fit into `width` characters, and how many each gets; names of ops take up to `names`."""
    needs = {c.title: _width(c, ops) for c in found}
    needs[OP] = max(needs.get(OP, 0), names)
    longest = needs[LOCATION]
    needs[LOCATION] = min(longest, MIN_LOCATION)
    kept = [c for c in found if not c.rank]
    for column in (c for c in found if c.rank == _BEFORE_NAMES):
        if sum(_least(c, needs) + GAP for c in (*kept, column)) <= width + GAP:
            kept.append(column)
    needs |= _narrowed(kept, needs, width)
    left = width + GAP - sum(needs[c.title] + GAP for c in kept)
    ranked = sorted((c for c in found if c.rank > _BEFORE_NAMES), key=lambda c: c.rank)
    first = [c for c in ranked if c.rank <= _BEFORE_LOCATION]
    left = _take(_in_turn(first, needs, left), needs, left, kept)
    grown = max(min(left, longest - needs[LOCATION], GOOD_LOCATION - needs[LOCATION]), 0)
    left = _take([c for c in ranked if c.rank > _BEFORE_LOCATION], needs, left - grown, kept)
    needs[LOCATION] = min(longest, needs[LOCATION] + grown + max(left, 0))
    return [c for c in found if c in kept], needs


def _narrowed(kept: Sequence[Column], needs: Mapping[str, int], width: int) -> dict[str, int]:
    """Shorten the op name column if even the required columns do not fit."""
    widths = fit_widths([needs[c.title] for c in kept], [_least(c, needs) for c in kept], width)
    return {column.title: given for column, given in zip(kept, widths, strict=True)}


def _least(column: Column, needs: Mapping[str, int]) -> int:
    return min(needs[column.title], MIN_OP) if column.title == OP else needs[column.title]


def _in_turn(wanted: Sequence[Column], needs: Mapping[str, int], left: int) -> list[Column]:
    """Return the columns before the first that does not fit: a narrower, less important one does not replace it."""
    ends = accumulate(needs[c.title] + GAP for c in wanted)
    return [column for column, end in zip(wanted, ends, strict=True) if end <= left]


def _take(wanted: Sequence[Column], needs: Mapping[str, int], left: int, kept: list[Column]) -> int:
    """Add columns to `kept` that fit into `left` characters; return the remaining characters."""
    for column in wanted:
        if needs[column.title] + GAP <= left:
            left -= needs[column.title] + GAP
            kept.append(column)
    return left


def _width(column: Column, ops: Sequence[OpReport]) -> int:
    return max(len(column.title), *(len(column.cell(op)) for op in ops), 0)


def layouts(op: OpReport) -> str:
    """Return the layouts of the first operand and the first result; one if they are equal."""
    source, result = (short_layout(ts[0].layout) if ts else "" for ts in (op.operands, op.results))
    return source if source == result else f"{source} → {result}".lstrip()


def present_terms(ops: tuple[OpReport, ...]) -> list[Term]:
    """Return the terms that are not 0 for every op, in their order."""
    return [term for term in Term if any(op.terms.get(term) for op in ops)]
