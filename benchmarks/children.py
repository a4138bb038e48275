"""What a process and all that it started have taken of the processor."""

from pathlib import Path

_TICKS = 100
"""Ticks of `/proc` in a second."""


def processor_seconds(parent: int) -> float:
    """Seconds of all that a process started, and of what these started."""
    parents: dict[int, tuple[int, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(stat.parent.name)] = int(fields[1]), (int(fields[11]) + int(fields[12])) / _TICKS
    return _below(parent, parents)


def _below(parent: int, parents: dict[int, tuple[int, float]]) -> float:
    return sum(took + _below(child, parents) for child, (of, took) in parents.items() if of == parent)
