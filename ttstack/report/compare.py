"""Comparison of two reports: ops are matched by their location in the source."""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from os import PathLike
from typing import TYPE_CHECKING, Any

from ttstack.program.locations import parts
from ttstack.report.facts import unknown_error
from ttstack.report.formatting import signed_percent
from ttstack.report.model import OpReport, ReportFigures, compare_headings
from ttstack.report.pairs import ComparisonFigures, OpPair, pair_row
from ttstack.report.report import Report

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs]


@dataclass(frozen=True, repr=False)
class Comparison(ComparisonFigures):
    """Two functions, or one on two devices, op by op."""

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write one page about both that needs no network.

        Raises:
            OutputError: the file cannot be written.
        """
        from ttstack.report.html.page import comparison_page
        from ttstack.support.files import write_whole

        write_whole(path, comparison_page(self))

    def to_pandas(self) -> "DataFrame":
        """Return a data frame with a row for each op of one program or of both; times in nanoseconds.

        Raises:
            OutputError: pandas is not installed.
        """
        from ttstack.report.frame import comparison_frame

        return comparison_frame(self)

    def __repr__(self) -> str:
        change = signed_percent(self.after.total_ns / self.before.total_ns - 1) if self.before.total_ns else "no ops"
        return f"Comparison({compare_headings(self.before, self.after, '->')}: {change})"

    def _repr_html_(self) -> str:
        from ttstack.report.html.notebook import comparison_fragment

        return comparison_fragment(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as values that JSON has; times in nanoseconds."""
        return {
            "before": _summary(self.before),
            "after": _summary(self.after),
            "delta_ns": self.after.total_ns - self.before.total_ns,
            "notes": list(self.notes),
            "ops": [pair_row(pair) for pair in self.pairs],
        }


def compare(before: Report, after: Report, notes: tuple[str, ...] = ()) -> Comparison:
    """Compare two reports. Ops with the same name and location are pairs, in order; others follow the op before them.

    A place is one with another as far as both go from the end: the same file in another folder is the same place,
    unless there is a file that has more folders in common. Where no place is in both, as in a file of another name,
    ops of one name are pairs in the order in which most of them are.
    """
    unknown = (f"time of the second program: {unknown_error(after)}",) if after.unknown_ns else ()
    return Comparison(before, after, tuple(_pairs(before.ops, after.ops)), notes + unknown)


def _pairs(before: tuple[OpReport, ...], after: tuple[OpReport, ...]) -> Iterator[OpPair]:
    partners = _partners(before, after)
    matched = {op.index for op in partners.values()}
    rest = [op for op in after if op.index not in matched]
    for op in before:
        last = partners.get(op.index)
        yield OpPair(op, last)
        while rest and last is not None and rest[0].index == last.index + 1:
            last = rest.pop(0)
            yield OpPair(None, last)
    yield from (OpPair(None, op) for op in rest)


def _partners(before: tuple[OpReport, ...], after: tuple[OpReport, ...]) -> dict[int, OpReport]:
    """Return by number the later op with the same name and location: first full paths, then without folders."""
    found: dict[int, OpReport] = {}
    taken: set[int] = set()
    for folders in range(max((_depth(op) for op in (*before, *after)), default=0), 0, -1):
        waiting: defaultdict[tuple[object, ...], deque[OpReport]] = defaultdict(deque)
        for op in after:
            if op.index not in taken:
                waiting[_place(op, folders)].append(op)
        for op in before:
            if op.index not in found and (same := waiting[_place(op, folders)]):
                found[op.index] = same.popleft()
                taken.add(found[op.index].index)
    return found or _in_order(before, after)


def _in_order(before: tuple[OpReport, ...], after: tuple[OpReport, ...]) -> dict[int, OpReport]:
    alike = SequenceMatcher(None, [op.name for op in before], [op.name for op in after], autojunk=False)
    blocks = [(before[b.a : b.a + b.size], after[b.b : b.b + b.size]) for b in alike.get_matching_blocks()]
    return {old.index: new for olds, news in blocks for old, new in zip(olds, news, strict=True)}


def _depth(op: OpReport) -> int:
    return parts(op.location)[1].count("/") + 1


def _place(op: OpReport, folders: int) -> tuple[object, ...]:
    """Return the op's name and the end of its path."""
    name, place = parts(op.location)
    return op.name, name, *place.split("/")[-folders:]


def _summary(report: ReportFigures) -> dict[str, Any]:
    return {
        "function": report.function,
        "system": report.system,
        "ttnn": report.chip.ttnn,
        "total_ns": report.total_ns,
        "kernel_ns": report.kernel_ns,
        "gap_ns": report.gap_ns,
    }
