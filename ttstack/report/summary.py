"""What a report says of the whole program, in sentences; shared by all writers that people read."""

from collections.abc import Iterator

from ttstack.report.formatting import above, count, duration, percent, short_location, size
from ttstack.report.model import ReportFigures


def summary(report: ReportFigures, width: int | None = None) -> Iterator[str]:
    """Totals, how far to trust them and the placement, and peaks of memory; locations fit into `width`."""
    kernels, gaps, total = map(duration, (report.kernel_ns, report.gap_ns, report.total_ns))
    yield f"{count(len(report.ops), 'op')}: {kernels} in kernels + {gaps} in gaps after them = {total}"
    yield _expected(report)
    if report.placement_gap is not None:
        yield f"placement: {duration(report.total_ns)} predicted, {above(report.placement_gap)} the optimum"
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


def _expected(report: ReportFigures) -> str:
    """What `±%` means, and what it is of the whole."""
    error, unknown = report.expected_error()
    line = f"expect the total within {percent(error)} % of this; ±%: two of three measurements of like ops lie within"
    return f"{line}; * or ?: {percent(unknown)} % of the time rests on nothing measured" if unknown else line
