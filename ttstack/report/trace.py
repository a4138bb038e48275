"""A report as a trace in Chrome's JSON format, which Perfetto (https://ui.perfetto.dev) and chrome://tracing open.

A track holds the kernels and one the gaps between them, whose durations add up to the report's `kernel_ns` and
`gap_ns`, each rounded to a nanosecond. Under them lie the terms of each kernel that overlap, and counters.
"""

import json
import math
from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

from ttstack.cost.terms import Combination, Term
from ttstack.report.model import OpReport, ReportFigures
from ttstack.version import VERSION

_KERNELS, _GAPS = 1, 2
_OVERLAPPING = Term.of(Combination.MATH, Combination.STREAM)


def trace_json(report: ReportFigures) -> str:
    """Return the whole trace; an event a line."""
    events = ",\n".join(json.dumps(event, ensure_ascii=False) for event in _events(report))
    made = {"producer": f"ttstack {VERSION}, predicted", "function": report.function, "system": report.system}
    return f'{{"traceEvents":[\n{events}\n],"displayTimeUnit":"ns","metadata":{json.dumps(made)}}}\n'


def _events(report: ReportFigures) -> Iterator[dict[str, Any]]:
    terms = [term for term in _OVERLAPPING if any(op.terms.get(term) for op in report.ops)]
    tracks = {term: number for number, term in enumerate(terms, _GAPS + 1)}
    yield _named("process_name", 0, f"{report.function} on {report.system}")
    names = {_KERNELS: "kernels", _GAPS: "gaps", **{number: term.value for term, number in tracks.items()}}
    for number, name in names.items():
        yield _named("thread_name", number, name)
        yield _event("M", "thread_sort_index", number, args={"sort_index": number})
    kernels = _whole([op.kernel_ns for op in report.ops])
    gaps = _whole([op.gap_ns for op in report.ops])
    start = 0
    for op, kernel, gap in zip(report.ops, kernels, gaps, strict=True):
        yield _slice(_KERNELS, op, start, kernel, _facts(op))
        yield from (_slice(number, op, start, ns, facts) for number, ns, facts in _terms(op, tracks, kernel))
        yield from _counters(report, op, start, kernel)
        yield _slice(_GAPS, op, start + kernel, gap, {"after": op.index})
        start += kernel + gap
    yield from _ends(start)


def _whole(times: list[float]) -> list[int]:
    """Round times to whole nanoseconds with the rounded total."""
    ends = [0, *map(round, accumulate(times))]
    return [end - start for start, end in pairwise(ends)]


def _terms(op: OpReport, tracks: dict[Term, int], kernel: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the overlapping parts of a kernel: track number, nanoseconds, and moved data."""
    moved = {Term.DRAM: {"bytes": op.dram_bytes}, Term.NOC: {"bytes": op.noc_bytes}}
    for term, number in tracks.items():
        if ns := op.terms.get(term):
            yield number, min(round(ns), kernel), moved.get(term, {})


def _counters(report: ReportFigures, op: OpReport, start: int, kernel: int) -> Iterator[dict[str, Any]]:
    yield _count("L1 of a core", start, {"bytes": op.l1_bytes})
    yield _count("DRAM", start, {"bytes": op.channel_bytes * report.memory["dram"].banks})
    yield _count("DRAM traffic", start, {"% of peak": round(100 * op.dram_utilisation, 2)})
    yield _count("DRAM traffic", start + kernel, {"% of peak": 0})


def _ends(start: int) -> Iterator[dict[str, Any]]:
    """Yield the final values of counters at the end of the pass."""
    yield _count("L1 of a core", start, {"bytes": 0})
    yield _count("DRAM", start, {"bytes": 0})


def _facts(op: OpReport) -> dict[str, Any]:
    return {
        "number": op.index,
        "location": op.location,
        "bound": op.bound,
        "cores": op.cores,
        "fidelity": op.fidelity,
        "ideal_ns": op.roofline_ns,
        "flops": op.flops,
        "dram_bytes": op.dram_bytes,
        "noc_bytes": op.noc_bytes,
        "operands": "; ".join(map(str, op.operands)),
        "results": "; ".join(map(str, op.results)),
    }


def _slice(track: int, op: OpReport, start: int, ns: int, args: dict[str, Any]) -> dict[str, Any]:
    return _event("X", op.name, track, cat=op.op_class, ts=_microseconds(start), dur=_microseconds(ns), args=args)


def _count(name: str, at: int, values: dict[str, Any]) -> dict[str, Any]:
    return _event("C", name, 0, ts=_microseconds(at), args=values)


def _named(what: str, track: int, name: str) -> dict[str, Any]:
    return _event("M", what, track, args={"name": name})


def _event(phase: str, name: str, track: int, **others: Any) -> dict[str, Any]:
    return {"ph": phase, "name": name, "pid": 1, "tid": track, **others}


def _microseconds(ns: int) -> float:
    """Return microseconds that give exactly `ns` after multiplication by 1000 and truncation."""
    value = ns / 1000
    return value if int(value * 1000) == ns else math.nextafter(value, math.inf)
