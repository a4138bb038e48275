import itertools
import json
from collections import defaultdict
from typing import Any

from ttstack.report.report import Report
from ttstack.report.trace import trace_json


def nanoseconds(us: float) -> int:
    """As Perfetto reads a time."""
    return int(us * 1000)


def slices(report: Report) -> dict[str, list[dict[str, Any]]]:
    events = json.loads(trace_json(report))["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    found = defaultdict[str, list[dict[str, Any]]](list)
    for event in events:
        if event["ph"] == "X":
            found[tracks[event["tid"]]].append(event)
    return found


def test_kernels_and_gaps_add_up_to_the_nanosecond(report: Report) -> None:
    found = slices(report)
    assert sum(nanoseconds(e["dur"]) for e in found["kernels"]) == round(report.kernel_ns)
    assert sum(nanoseconds(e["dur"]) for e in found["gaps"]) == round(report.gap_ns)
    assert [e["name"] for e in found["kernels"]] == [op.name for op in report.ops]


def test_no_slices_of_a_track_overlap_and_terms_lie_in_their_kernels(report: Report) -> None:
    found = slices(report)
    assert {"kernels", "gaps", "dram", "compute"} <= found.keys()
    kernels = {nanoseconds(e["ts"]): nanoseconds(e["dur"]) for e in found["kernels"]}
    for name, events in found.items():
        spans = [(nanoseconds(e["ts"]), nanoseconds(e["ts"]) + nanoseconds(e["dur"])) for e in events]
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
        if name != "gaps":
            assert all(end - start <= kernels[start] for start, end in spans)


def test_counters_are_the_bytes_in_use(report: Report) -> None:
    events = json.loads(trace_json(report))["traceEvents"]
    l1 = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "L1 of a core"]
    assert l1 == [*(op.l1_bytes for op in report.ops), 0]
    dram = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "DRAM"]
    assert max(dram) == report.memory["dram"].peak


def test_an_empty_program_has_a_trace(empty: Report) -> None:
    assert set(slices(empty)) == set()
