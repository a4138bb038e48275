"""Figures that other releases of `ttnn` have, and a chip with those of one of them."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Annotated, Any, NamedTuple, cast

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from ttstack.escape import name_fault
from ttstack.system_desc.base import Desc, Fault, FrozenDict, Line
from ttstack.system_desc.releases import NEWEST, Release, order
from ttstack.system_desc.sources import find_section, has_field


def _figure(value: object) -> object:
    """Return the value of an entry; raise `ValueError` if no figure can have it."""
    if isinstance(value, Mapping):
        parts = cast(Mapping[str, object], value)
        if parts and all(isinstance(part, int | float | str) for part in parts.values()):
            return FrozenDict({name: _figure(part) for name, part in parts.items()})
    elif (
        value is None
        or (isinstance(value, str) and not name_fault(value))
        or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf)
    ):
        return value
    raise ValueError("a figure is a number of at least 0, one with a unit, or several of them by name")


class RevisionDesc(Desc):
    """Value of one parameter of a chip in other releases of `ttnn`."""

    figure: Line = Field(description="Dotted path of the figure in the chip; text.")
    since: Release | None = Field(
        default=None, description="First release that is known to have this value, or null if unknown; text."
    )
    before: Release | None = Field(
        default=None, description="First later release that is known to have another value, or null; text."
    )
    value: Annotated[Any, AfterValidator(_figure)] = Field(
        default=None,
        description="The value, in the format of its field, or null if these releases do not have the figure; text.",
    )
    source: Line = Field(min_length=1, description="Source of the value and its releases; text.")

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Return a row holds for some releases and not for all."""
        return (*super().relations(), self._span_faults())

    def _span_faults(self) -> Iterator[Fault]:
        if self.since is None and self.before is None:
            yield ("since",), "a row of revisions needs `since`, `before`, or both"
        if self.since and self.before and order(self.since) >= order(self.before):
            yield ("before",), f"{self.before} is not after since, {self.since}"


class Span(NamedTuple):
    """Releases from one to before another; None for an open end."""

    since: str | None
    before: str | None

    @property
    def start(self) -> tuple[int, ...]:
        """Sort key of spans: their first release."""
        return order(self.since) if self.since else ()

    def has(self, ttnn: str) -> bool:
        """Return True if a release is one of these."""
        return self.start <= order(ttnn) and (self.before is None or order(ttnn) < order(self.before))

    def meets(self, later: "Span") -> bool:
        """Return True if a release is in both this and one that does not start before it."""
        return self.before is None or later.start < order(self.before)


def span_of(row: RevisionDesc) -> Span:
    """Return the releases that have the figure of a row."""
    return Span(row.since, row.before)


def own_span(ttnn: str, rows: Sequence[RevisionDesc]) -> Span:
    """Return the releases with a chip's own figure: the gap between the other entries around the chip's release."""
    ends = [row.before for row in rows if row.before and order(row.before) <= order(ttnn)]
    starts = [row.since for row in rows if row.since and order(row.since) > order(ttnn)]
    return Span(max(ends, key=order, default=None), min(starts, key=order, default=None))


def by_figure(rows: Iterable[RevisionDesc]) -> Mapping[str, list[RevisionDesc]]:
    """Return the rows of each figure."""
    found: defaultdict[str, list[RevisionDesc]] = defaultdict(list)
    for row in rows:
        found[row.figure].append(row)
    return found


def row_of(ttnn: str, rows: Sequence[RevisionDesc], to: str) -> RevisionDesc | None:
    """Return the entry that applies to a release; None if the chip's own figure applies.

    A release before all rows has the figure of the first.
    """
    spans: list[tuple[Span, RevisionDesc | None]] = [(span_of(row), row) for row in rows]
    spans.append((own_span(ttnn, rows), None))
    spans.sort(key=lambda item: item[0].start)
    started = [row for span, row in spans if span.start <= order(to)]
    return started[-1] if started else spans[0][1]


def revision_faults(chip: object, ttnn: str, rows: Sequence[RevisionDesc]) -> Iterator[Fault]:
    """Rows are of figures that the chip has, and no release has two values of one, the chip's own included."""
    last: dict[str, Span] = {}
    for index, row in sorted(enumerate(rows), key=lambda item: span_of(item[1]).start):
        span, before = span_of(row), last.get(row.figure)
        if not has_field(chip, row.figure):
            yield ("revisions", index, "figure"), f"'{row.figure}' names no field"
        if span.has(ttnn):
            yield ("revisions", index), f"{row.figure} of ttnn {ttnn} is the chip's own figure, not one of revisions"
        if before and before.meets(span):
            yield ("revisions", index), f"{row.figure} has another value in some of these releases already"
        last[row.figure] = span


def revise(chip: Mapping[str, Any], to: str) -> dict[str, Any]:
    """Return the plain values of a chip with the figures that another release has; its own become rows.

    Figures of `chip` may be spelled as in files. Where its rows are faulty, only its release changes.
    """
    changed = deepcopy(dict(chip))
    ttnn, changed["ttnn"] = changed.get("ttnn", NEWEST), to
    try:
        rows = _ROWS.validate_python(changed.get("revisions") or ())
        order(ttnn)
    except (ValidationError, ValueError):
        return changed
    kept = list[dict[str, Any]]()
    for figure, known in by_figure(rows).items():
        row, others = row_of(ttnn, known, to), known
        if row is not None and (place := _place(changed, figure)):
            had = _swap(changed, place, row, own_span(ttnn, known))
            others = [had, *(other for other in known if other is not row)]
        kept += [other.model_dump() for other in sorted(others, key=lambda other: span_of(other).start)]
    changed["revisions"] = kept
    return changed


_ROWS = TypeAdapter(tuple[RevisionDesc, ...])


def _place(chip: dict[str, Any], figure: str) -> tuple[dict[str, Any], str] | None:
    """Return the section of a figure and its name there; None if the chip does not have the section."""
    *sections, name = figure.split(".")
    part: Any = chip
    for section in sections:
        part = cast(dict[str, Any], part).get(section) if isinstance(part, dict) else None
    return (cast(dict[str, Any], part), name) if isinstance(part, dict) else None


def _swap(chip: dict[str, Any], place: tuple[dict[str, Any], str], row: RevisionDesc, span: Span) -> RevisionDesc:
    """Give the chip the figure of a row; return the row of the figure that it had."""
    section, name = place
    sources = chip.setdefault("sources", {})
    cited = cast(dict[str, str], sources) if isinstance(sources, dict) else {}
    key = find_section(cited, row.figure)
    own = section.get(name)
    had = RevisionDesc(
        figure=row.figure, **span._asdict(), value=own, source=cited[key] if key else f"ttnn {row.before}"
    )
    section[name] = row.value
    cited[row.figure] = row.source
    return had
