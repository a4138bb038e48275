"""Overview of a report, for one screen or one cell of a notebook: facts, equal modules, the longest ops."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from ttstack.report.equal_modules import ModuleRun, folded_ops, module_rows
from ttstack.report.facts import Fact, facts, fits
from ttstack.report.formatting import count, duration, micros, percent
from ttstack.report.loop_row import is_uncounted
from ttstack.report.model import OpReport, ReportFigures, sort_ops
from ttstack.report.rows import step_spans

_OPS = 20
"""Ops that are shown."""
_RESOURCES = 3
"""Resources that limit the whole program the most."""
_MODULES = 8
"""Rows of modules; with them, that many ops fewer are shown."""


@dataclass(frozen=True)
class Overview:
    """The part of a report that a reader asks for first."""

    report: ReportFigures

    @cached_property
    def facts(self) -> list[Fact]:
        """The facts, with both memories in one, and the shares of classes of ops."""
        return list(_facts(self.report))

    @cached_property
    def modules(self) -> list[ModuleRun]:
        """Return modules that together have all ops; empty if no modules are equal."""
        rows = module_rows(self.report.ops, _MODULES)
        return rows if any(row.times > 1 for row in rows) else []

    @cached_property
    def ops(self) -> list[OpReport]:
        """The longest ops, those of equal modules added up."""
        return self._sorted[: _OPS - _MODULES if self.modules else _OPS]

    @property
    def rest(self) -> str:
        """Return the number of hidden ops and their time; empty if all are shown."""
        if not (rest := self._sorted[len(self.ops) :]):
            return ""
        ns, number = sum(op.elapsed_ns for op in rest), sum(op.times for op in rest)
        return f"and {count(number, 'op')} more, {duration(ns)} ({percent(ns / self.report.total_ns)} %)"

    @cached_property
    def _sorted(self) -> list[OpReport]:
        return sort_ops(folded_ops(self.report), "time")


def _facts(report: ReportFigures) -> Iterator[Fact]:
    memories = {name.upper() for name in report.memory}
    for memory, found in groupby(facts(report), key=lambda fact: fact.title in memories):
        yield from [fits(report)] if memory else found
    if uncounted := [op for op in report.ops if is_uncounted(op)]:
        what = "one iteration counted: it runs until its condition is false"
        yield Fact(
            "loops", f"op {', '.join(str(op.index) for op in uncounted)}", f"{what}; --max-iterations N counts N"
        )
    for ops, calls in step_spans(report):
        yield Fact("time step", ops, f"called {count(calls, 'time')}")
    if saved := [f"{name} {percent(share)} %" for name, share in report.sensitivity.items()][:_RESOURCES]:
        yield Fact("limits", f"{', '.join(saved)} saved if 10 % faster")
    if shares := [f"{name} {percent(share)} %" for name, share in report.shares().items()]:
        yield Fact("classes", shares[0], ", ".join(shares[1:]))


MODULE_TITLES = ("module", "times", "µs each", "µs", "%")
"""Columns of the table of modules."""


def module_cells(report: ReportFigures, row: ModuleRun) -> tuple[str, ...]:
    """Return a module as these columns have it."""
    return (
        row.name or "other",
        str(row.times) if row.times > 1 else "",
        micros(row.elapsed_ns / row.times),
        micros(row.elapsed_ns),
        percent(report.share(row)),
    )
