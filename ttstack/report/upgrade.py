"""Changes of a program with another release of `ttnn`: by op, and by the parameters that differ."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from ttstack.device.kernel_revisions import kernel_changes
from ttstack.program.records import Binary
from ttstack.report.build import build_report
from ttstack.report.compare import Comparison, compare
from ttstack.report.formatting import count, duration
from ttstack.report.report import Report
from ttstack.report.what_if import on_system
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.at_release import FigureChange, at_release, figure_changes
from ttstack.system_desc.releases import extrapolation


@dataclass(frozen=True)
class ReleaseChange:
    """A figure that differs between two releases, and its effect on a program."""

    figure: str
    """Dotted path in the chip."""
    before: str
    after: str
    since: str
    """The first release that is known to have the figure of the newer one."""
    delta_ns: float
    """Increase of the function's time by this parameter only."""
    source: str
    """Source of the older release's value."""

    def __str__(self) -> str:
        shift = f"{'+' if self.delta_ns >= 0 else '-'}{duration(abs(self.delta_ns))}"
        return (
            f"{self.figure}: {self.before} -> {self.after} since ttnn {self.since}, {shift} by itself ({self.source})"
        )


@dataclass(frozen=True)
class Upgrade(Comparison):
    """A function with two releases of `ttnn`, op by op."""

    changes: tuple[ReleaseChange, ...] = ()
    """Figures that differ and on which an op of the function depends."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as values that JSON has; times in nanoseconds."""
        return {**super().to_dict(), "changes": [asdict(change) for change in self.changes]}


def compare_releases(
    binary: Binary, function: str, releases: tuple[str, str], anew: Callable[[SystemDesc], Binary] | None = None
) -> Upgrade:
    """Compare a function's times with two releases, and explain the differences.

    Args:
        binary: The program, which keeps its placement where `anew` is None.
        function: The name of its function.
        releases: Versions of `ttnn`, the earlier state first.
        anew: Compiles the model of the program for a system.

    Raises:
        TTStackError: One is not a version, or the program does not fit the device with it.
    """
    binaries, reports, left_out = list[Binary](), list[Report](), tuple[str, ...]()
    for ttnn in releases:
        system = at_release(binary.system_desc, ttnn)
        if anew is None:
            binaries.append(replace(binary, system_desc=system))
            report, left_out = on_system(binary, system, function)
        else:
            binaries.append(anew(system))
            report = build_report(binaries[-1], function)
        reports.append(report)
    old, new = (report.chip for report in reports)
    every = tuple(_changes(old, new, binaries[-1], reports[-1]))
    changes = tuple(change for change in every if round(change.delta_ns))
    plain = compare(reports[0], reports[1])
    notes = (*left_out, *_notes(old, new, changes, len(every) - len(changes)))
    return Upgrade(plain.before, plain.after, plain.pairs, notes, changes)


def _changes(old: ChipDesc, new: ChipDesc, binary: Binary, report: Report) -> Iterator[ReleaseChange]:
    for change in figure_changes(old, new):
        without = _with_figure_of(binary.system_desc, change, old.ttnn)
        then = build_report(replace(binary, system_desc=without), report.function).total_ns
        spelled = _spell(change.before), _spell(change.after)
        yield ReleaseChange(change.figure, *spelled, change.since, report.total_ns - then, change.source)


def _with_figure_of(desc: SystemDesc, change: FigureChange, ttnn: str) -> SystemDesc:
    """Return the system with one figure of another release."""
    chips = (
        chip.model_copy(update={"revisions": tuple(row for row in chip.revisions if row.figure == change.figure)})
        for chip in desc.chips
    )
    return at_release(desc.model_copy(update={"chips": tuple(chips)}), ttnn)


def _spell(figure: Any) -> str:
    if figure is None:
        return "none"
    if isinstance(figure, int | float):
        return f"{figure:g}"
    return ", ".join(f"{name} {_spell(value)}" for name, value in dict(figure).items())


def _notes(old: ChipDesc, new: ChipDesc, changes: Iterable[ReleaseChange], unused: int) -> Iterator[str]:
    if old.ttnn == new.ttnn:
        yield f"both are ttnn {new.ttnn}: nothing changes"
    for ttnn in dict.fromkeys((old.ttnn, new.ttnn)):
        if why := extrapolation(ttnn):
            yield f"ttnn {ttnn} is {why}: predictions are extrapolated"
    yield from map(str, changes)
    if unused:
        yield f"{count(unused, 'more figure')} of the device differ, on which no op here depends"
    for kernel in kernel_changes(old, new):
        yield f"what ttnn chooses by itself, since {kernel.since}: {kernel.what} ({kernel.source})"
