"""Ops as tables show them: those of a step of a recurrence once, with the figures of all its calls."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from ttstack.report.formatting import count
from ttstack.report.model import OpReport, OpSums, Order, ReportFigures, sort_ops


def op_rows(report: ReportFigures, by: Order = "order", *, every_op: bool = False) -> list[OpReport]:
    """Return the sorted ops; one per repeated step for all calls, or every call with `every_op`."""
    return sort_ops(report.ops if every_op else _once(report), by)


def step_spans(report: ReportFigures) -> Iterator[tuple[str, int]]:
    """Yield the ops of each repeated time step in words, and how often it is called."""
    for step in report.steps:
        last = step.first + step.ops - 1
        yield (f"op {last}" if step.ops == 1 else f"ops {step.first} to {last}"), step.calls


def step_lines(report: ReportFigures) -> Iterator[str]:
    """Yield which rows are those of a repeated time step, in words."""
    for ops, calls in step_spans(report):
        yield f"{ops}: a step that is called {count(calls, 'time')}; its rows are the sums of all calls"


def _once(report: ReportFigures) -> Iterator[OpReport]:
    at = 0
    for step in report.steps:
        yield from report.ops[at : step.first]
        yield from (sum_ops([report.ops[i] for i in step.numbers(place)]) for place in range(step.ops))
        at = step.first + step.ops * step.calls
    yield from report.ops[at:]


def sum_ops(calls: Sequence[OpReport]) -> OpReport:
    """Return one op with the sums of several; other properties are those of the longest."""
    sums, longest = OpSums(tuple(calls)), max(calls, key=attrgetter("elapsed_ns"))
    return replace(
        longest,
        index=calls[0].index,
        kernel_ns=sums.kernel_ns,
        gap_ns=sums.gap_ns,
        terms={term: sum(op.terms.get(term, 0.0) for op in calls) for term in longest.terms},
        flops=sum(op.flops for op in calls),
        dram_bytes=sum(op.dram_bytes for op in calls),
        noc_bytes=sum(op.noc_bytes for op in calls),
        flops_utilisation=sum(op.flops_utilisation * op.kernel_ns for op in calls) / sums.kernel_ns,
        dram_utilisation=sum(op.dram_utilisation * op.kernel_ns for op in calls) / sums.kernel_ns,
        roofline_ns=sums.roofline_ns,
        l1_bytes=max(op.l1_bytes for op in calls),
        channel_bytes=max(op.channel_bytes for op in calls),
        doubt_ns=sums.doubt_ns,
        times=sum(op.times for op in calls),
    )
