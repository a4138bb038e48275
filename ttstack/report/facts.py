"""Facts of a report about a full function: one list for terminals, notebooks and pages."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ttstack.cost.confidence import Trust
from ttstack.report.formatting import above, count, duration, each_second, likely_range, percent, signed_percent, size
from ttstack.report.model import ReportFigures
from ttstack.system_desc.releases import extrapolation


@dataclass(frozen=True)
class Fact:
    """One figure of the whole function, with its explanation."""

    title: str
    value: str
    note: str = ""
    share: float | None = None
    """Share of the whole, from 0 to 1, for a bar."""
    before: str = ""
    """The figure of the program that it is compared with."""


_NAMED = 2
"""Figures of a device that one line names."""


def facts(report: ReportFigures) -> list[Fact]:
    """Return time and its likely interval, memory, baseline, gain and trust: the first questions of a reader."""
    return [
        time_fact(report),
        *_end_to_end(report),
        *_rates(report),
        _roofline(report),
        Fact(
            "ops",
            f"{len(report.ops):,}",
            f"{duration(report.kernel_ns)} in kernels, {duration(report.gap_ns)} between kernels",
        ),
        *(_memory(report, name) for name in report.memory),
        *_baseline(report),
        *_trust(report),
        *_choices(report),
    ]


def fits(report: ReportFigures) -> Fact:
    """Return in one line that the program fits the device's memories, and how much of them it uses."""
    used = [
        f"{name.upper()} {percent(use.share)} % of {size(use.capacity)}{' per core' if name == 'l1' else ''}"
        for name, use in report.memory.items()
    ]
    return Fact("fits", used[0], ", ".join(used[1:]))


def details(report: ReportFigures) -> list[Fact]:
    """Return the results of placement and recomputation, and the op with the fullest memory."""
    return list(_details(report))


def compare_facts(before: ReportFigures, after: ReportFigures) -> list[Fact]:
    """Return the facts of the later program with those of the earlier one, without rates."""
    old = {fact.title: fact.value for fact in facts(replace(before, per_pass={}))}
    found = [replace(fact, before=old.get(fact.title, "")) for fact in facts(replace(after, per_pass={}))]
    changed = signed_percent(after.total_ns / before.total_ns - 1) if before.total_ns else ""
    less = "less" if after.total_ns < before.total_ns else "more"
    delta = abs(after.total_ns - before.total_ns)
    return [Fact("change", changed, f"{duration(delta)} {less}" if delta else "same time"), *found]


def time_fact(report: ReportFigures) -> Fact:
    """Return the predicted time, and its likely range or why there is none."""
    total = report.total_ns
    if not report.unknown_ns:
        return Fact("time", duration(total), f"likely {likely_range(report.likely_ns)}" if report.ops else "")
    return Fact("time", duration(total), unknown_error(report))


def unknown_error(report: ReportFigures) -> str:
    """Return the share of the time with unknown error, and the figures that differ from measurements."""
    share, figures = percent(report.unknown_ns / report.total_ns), list(report.unmeasured_figures)
    if not figures:
        return f"error unknown: no measurement covers {share} % of it on this device"
    more = f"; {count(len(figures) - _NAMED, 'more figure')}" if len(figures) > _NAMED else ""
    return f"error unknown for {share} % of it: {'; '.join(figures[:_NAMED])}{more}"


def _rates(report: ReportFigures) -> Iterator[Fact]:
    for rate in report.rates:
        note = f"{rate.per_pass:,} per pass; roofline {each_second(rate.ideal_per_second)}"
        yield Fact(f"{rate.what}/s", each_second(rate.per_second), note)


def _end_to_end(report: ReportFigures) -> Iterator[Fact]:
    """Return the time with transfers of inputs and outputs, and the rates that it allows."""
    if not report.ops:
        return
    if (run := report.end_to_end) is None:
        yield Fact("with I/O", "unknown", "as this device has no PCIe parameters: transfers are not included")
        return
    rates = [f"{each_second(rate)} {_unit(what, run.per_pass[what])}" for what, rate in run.per_second.items()]
    rate = " and ".join(rates) or f"{each_second(1e9 / run.elapsed_ns)} passes/s"
    pcie = "PCIe estimated" if run.estimated else "PCIe included"
    host = f"no host dispatch of {', '.join(run.untraced)}" if run.untraced else "no host work"
    yield Fact("with I/O", duration(run.elapsed_ns), f"{rate}, {pcie}, {host}")


def _unit(what: str, number: int) -> str:
    return f"{what}/s ({'batch ' if what == 'samples' else ''}{number:,}{'' if what == 'samples' else ' per pass'})"


def _roofline(report: ReportFigures) -> Fact:
    total, roofline = report.total_ns, report.roofline_ns
    share = roofline / (total or 1)
    return Fact(
        "roofline", duration(roofline), f"{percent(share)} % of the time: every op at peak FLOPs or DRAM", share
    )


def _memory(report: ReportFigures, name: str) -> Fact:
    use = report.memory[name]
    of = " per core" if name == "l1" else f" in {use.banks} channels"
    return Fact(name.upper(), f"{percent(use.share)} %", f"{size(use.span)} of {size(use.capacity)}{of}", use.share)


def _baseline(report: ReportFigures) -> Iterator[Fact]:
    run = report.library_default
    if run is None or not report.ops:
        return
    unknown = f"; unknown for {count(run.unknown, 'op')}" if run.unknown else ""
    yield Fact("baseline", duration(run.elapsed_ns), f"ttnn's defaults, all tensors in DRAM{unknown}")
    saved = run.saved_share(report.total_ns)
    change = duration(abs(run.elapsed_ns - report.total_ns))
    yield Fact("gain", f"{percent(saved)} %", f"{change} {'less' if saved >= 0 else 'more'} than the baseline")


def _trust(report: ReportFigures) -> Iterator[Fact]:
    if report.ops:
        shares = report.trust_shares
        first, *others = (f"{percent(share)} % {trust}" for trust, share in shares.items())
        yield Fact("trust", first, f"{', '.join(others)}, by time", shares[Trust.MEASURED])


def _choices(report: ReportFigures) -> Iterator[Fact]:
    """Yield the chosen precision, and the gap between the placement and the bound, if known."""
    if report.precision:
        yield Fact("precision", report.precision)
    if report.placement_gap is not None:
        yield Fact("optimality", above(report.placement_gap), "the best placement")
    if report.greedy_saves_ns:
        yield Fact("greedy", f"{duration(report.greedy_saves_ns)} shorter", "predicted, with more uncertainty")


def _details(report: ReportFigures) -> Iterator[Fact]:
    if why := extrapolation(report.chip.ttnn):
        yield Fact("ttnn", report.chip.ttnn, f"{why}: the figures are those of the nearest known release")
    if report.ops:
        known = report.measured_kernels
        elsewhere = f", {known.on_arch - known.on_board:,} more on other {report.chip.arch} boards"
        note = f"of {count(known.ops, 'op')}, on {report.system}{elsewhere if known.on_arch > known.on_board else ''}"
        yield Fact("measured kernels", f"{known.on_board:,}", note)
        penalty = f"{duration(report.total_ns)} predicted + {duration(report.doubt_ns)} uncertainty penalty"
        yield Fact("placement", duration(report.total_ns + report.doubt_ns), f"minimized: {penalty}")
    if moved := report.transfers:
        note = (
            f"inputs {duration(moved.inputs_ns)} ({size(moved.input_bytes)}), "
            f"outputs {duration(moved.outputs_ns)} ({size(moved.output_bytes)}), one call per tensor"
        )
        yield Fact("PCIe", duration(moved.inputs_ns + moved.outputs_ns), note)
    if (again := report.recomputation) is not None:
        least = "" if again.gap is None else f"; {above(again.gap)} the least for this memory"
        yield Fact("recomputation", duration(again.ns), f"so that the training step fits{least}")
    for name, use in report.memory.items():
        if use.peak_op:
            place = f" at {use.peak_location}" if use.peak_location else ""
            yield Fact(f"{name.upper()} peak", size(use.peak), f"in {use.peak_op}{place}")
    yield Fact("results in L1", f"{percent(report.staying)} %", "of result bytes never leave L1")
