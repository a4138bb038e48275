"""What a report says of the whole program, in sentences; shared by all writers that people read."""

from collections.abc import Iterator

from ttstack.program.records import Recomputation
from ttstack.report.formatting import above, count, duration, each_second, percent, short_location, size, spell_gain
from ttstack.report.library_default import DefaultRun
from ttstack.report.model import ReportFigures
from ttstack.system_desc.releases import extrapolation


def summary(report: ReportFigures, width: int | None = None) -> Iterator[str]:
    """Totals, how far to trust them and the placement, and peaks of memory; locations fit into `width`."""
    kernels, gaps, total = map(duration, (report.kernel_ns, report.gap_ns, report.total_ns))
    ideal = f"; ideal {duration(report.roofline_ns)}" if report.ops else ""
    yield f"{count(len(report.ops), 'op')}: {kernels} in kernels + {gaps} in gaps after them = {total}{ideal}"
    for rate in report.rates:
        now, ideal = each_second(rate.per_second), each_second(rate.ideal_per_second)
        yield f"{now} {rate.what} a second, with {rate.per_pass:,} in a pass; ideal {ideal}"
    yield from _expected(report)
    if why := extrapolation(report.chip.ttnn):
        yield f"ttnn {report.chip.ttnn} is {why}: its figures are those of the nearest release that is known"
    if report.precision:
        yield f"formats and fidelities: precision {report.precision}"
    yield _objective(report)
    if (again := report.recomputation) is not None:
        yield _recomputed(again)
    if report.library_default and report.ops:
        yield _gain(report.library_default, report.total_ns)
    for name, use in report.memory.items():
        what = "L1 of a core" if name == "l1" else f"DRAM ({use.banks} channels)"
        banks = 1 if name == "l1" else use.banks
        line = f"{what}: at most {size(use.peak * banks)} of {size(use.capacity * banks)}"
        if use.peak_op:
            line += f", in {use.peak_op} "
            place = use.peak_location
            line += place if width is None else short_location(place, max(width - len(line), 0))
        yield line.rstrip()
    yield in_l1(report)


def in_l1(report: ReportFigures) -> str:
    """How much of what is computed stays in L1, and how tightly its buffers are packed."""
    use = report.memory["l1"]
    packed = f"addresses span {size(use.span)}, the least is {size(use.peak)}"
    return f"{percent(report.staying)} % of the bytes of results never leave L1, whose {packed}"


def _expected(report: ReportFigures) -> Iterator[str]:
    """The error of the total, what that is an error of, and what `±%` means; which kernels were measured where."""
    error, unknown = report.expected_error()
    yield f"expected error: ±{percent(error)} % of the total, by the prices of its ops, not by a run"
    rest = f"; * or ?: nothing measured, {percent(unknown)} % of the time" if unknown else ""
    yield f"±%: two of three measurements of like ops lie within{rest}"
    if report.ops:
        yield measured_kernels(report)


def measured_kernels(report: ReportFigures) -> str:
    """How many ops have a kernel measured on the board, and how many more on another board of its architecture."""
    known = report.measured_kernels
    line = f"kernels measured on {report.system}: {known.on_board:,} of {count(known.ops, 'op')}"
    elsewhere = known.on_arch - known.on_board
    return f"{line}; on other {report.chip.arch} boards: {elsewhere:,} more" if elsewhere else line


def _gain(run: DefaultRun, total_ns: float) -> str:
    """What placement gains over the library's own choices, in sum."""
    saved = run.saved_share(total_ns)
    line = f"ttnn by default, with all tensors in DRAM: {duration(run.elapsed_ns)}; "
    line += spell_gain(saved)
    return f"{line} ({count(run.unknown, 'op')} whose default is not known as here)" if run.unknown else line


def _recomputed(again: Recomputation) -> str:
    """What runs again so that a step of training fits, and how near that is to the least."""
    line = f"what runs again, so that the step fits: {duration(again.ns)}, each op alone"
    return line if again.gap is None else f"{line}; {above(again.gap)} the least for so many bytes"


def _objective(report: ReportFigures) -> str:
    """What placement kept small, and how near it came to the least."""
    line = f"placement compares predicted times and doubt: {duration(report.total_ns)} + {duration(report.doubt_ns)}"
    if report.placement_gap is not None:
        line += f", {above(report.placement_gap)} the optimum"
    if report.greedy_saves_ns:
        line += f"; the greedy placement is predicted {duration(report.greedy_saves_ns)} shorter, with more uncertainty"
    return line
