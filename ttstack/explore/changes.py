"""The effect of an edit on the nodes of the shown graph, that of the previous program."""

from collections import defaultdict

from ttstack.report.compare import compare
from ttstack.report.formatting import duration
from ttstack.report.graphs.overlays import Overlay, by_node
from ttstack.report.report import Report


def change_overlays(name: str, what: str, before: Report, after: Report) -> tuple[Overlay, ...]:
    """Return overlays with the new time of each op, and with its increase; each adds up to the program's.

    New ops, such as layout changes, count for the op that they come from.
    """
    times = new_times(before, after)
    change = {op.index: (times[op.index] - op.elapsed_ns) / 1000 for op in before.ops}
    title = f"{name}: {what}, {duration(before.total_ns)} → {duration(after.total_ns)}"
    return (
        Overlay(f"time [µs] after {title}", by_node({number: ns / 1000 for number, ns in times.items()})),
        Overlay(f"change [µs] by {title}", by_node(change), signed=True),
    )


def new_times(before: Report, after: Report) -> dict[int, float]:
    """Return the new nanoseconds, by the previous op number."""
    found: defaultdict[int, float] = defaultdict(float)
    of_place = {op.location: op.index for op in reversed(before.ops)}
    last = 0
    for pair in compare(before, after).pairs:
        if pair.before is not None:
            last = pair.before.index
            found[last] += pair.after_ns
        elif pair.after is not None:
            found[of_place.get(pair.after.location, last)] += pair.after_ns
    return dict(found)
