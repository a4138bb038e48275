"""The figures at the head of the page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ttstack.report.formatting import count, duration, each_second, percent, size, spell_gain
from ttstack.report.model import ReportFigures


@dataclass(frozen=True)
class Total:
    """One figure of the whole program, and what is said beside it."""

    title: str
    value: str
    note: str = ""
    share: float | None = None
    """Share of what there is, for a bar."""
    before: str = ""
    """The figure of the program that it is compared with."""


def totals(report: ReportFigures) -> list[Total]:
    """Time with the ideal beside it, kernels, gaps, how far to trust them, and memory."""
    total, ideal = report.total_ns, report.roofline_ns
    error, unknown = report.expected_error()
    rest = f", {percent(unknown)} % of it on nothing measured" if unknown else ""
    return [
        Total("predicted time", duration(total), f"± {percent(error)} % by the prices of ops{rest}"),
        Total(
            "ideal",
            duration(ideal),
            f"{percent(ideal / (total or 1))} % of it: each op at a peak",
            ideal / (total or 1),
        ),
        *_measured(report),
        *_rates(report),
        Total("in kernels", duration(report.kernel_ns), count(len(report.ops), "op")),
        Total("in gaps", duration(report.gap_ns), f"{percent(report.gap_ns / (total or 1))} % of it, between kernels"),
        *_default(report),
        *map(_memory(report), report.memory),
    ]


def _measured(report: ReportFigures) -> Iterator[Total]:
    """The ops whose kernel was measured on the board, and on others of its architecture."""
    known = report.measured_kernels
    if known.ops:
        note = f"on {report.system}; {known.on_arch:,} on any {report.chip.arch} board"
        yield Total("kernels measured", f"{known.on_board:,} of {known.ops:,}", note, known.on_board / known.ops)


def _rates(report: ReportFigures) -> Iterator[Total]:
    """Samples and tokens a second."""
    for rate in report.rates:
        note = f"{rate.per_pass:,} in a pass; ideal {each_second(rate.ideal_per_second)}"
        yield Total(f"{rate.what} a second", each_second(rate.per_second), note)


def _default(report: ReportFigures) -> list[Total]:
    """What the library's own choices would take."""
    if (run := report.library_default) is None:
        return []
    saved = run.saved_share(report.total_ns)
    note = spell_gain(saved)
    return [Total("ttnn by default", duration(run.elapsed_ns), note)]


def comparison_totals(before: ReportFigures, after: ReportFigures) -> list[Total]:
    """The same figures of the later program, with those of the earlier one; no rates, which one alone may have."""
    pairs = zip(*(totals(replace(report, per_pass={})) for report in (after, before)), strict=True)
    changed = f"{after.total_ns / before.total_ns - 1:+z.1%}" if before.total_ns else ""
    found = [Total(t.title, t.value, t.note, t.share, old.value) for t, old in pairs]
    return [Total("change", changed, f"{duration(abs(after.total_ns - before.total_ns))}"), *found]


def _memory(report: ReportFigures) -> Callable[[str], Total]:
    def total(name: str) -> Total:
        use = report.memory[name]
        banks = 1 if name == "l1" else use.banks
        title = "L1 of a core" if name == "l1" else f"DRAM, {use.banks} channels"
        share = use.peak / (use.capacity or 1)
        return Total(title, size(use.peak * banks), f"at most, of {size(use.capacity * banks)}", share)

    return total
