"""Records of networks as lines of text."""

from collections.abc import Mapping
from typing import Any

from benchmarks.unseen.measure import Record

SHOWN = 8
"""Kinds of moves."""


def text_of(record: Record) -> str:
    """A line for the network, and one for each of its largest moves."""
    title = f"{record['library']} {record['name']}"
    if "error" in record:
        first = (record["error"].splitlines() or [""])[0]
        return f"{title}: {record['step']} failed after {record['process_seconds']:.0f} s: {first}"
    share = record["moving_us"] / record["us"]
    figures = f"{record['us']:,.1f} µs, {share:.1%} of it moves, {record['ops']} ops"
    first = f"{title}: {figures}, compiled in {record['seconds']:.0f} s"
    return "\n".join([first, *map(_text_of_move, record["moves"][:SHOWN])])


def _text_of_move(move: Mapping[str, Any]) -> str:
    operands, results = ", ".join(move["operands"]), ", ".join(move["results"])
    attributes = ", ".join(f"{name} {value}" for name, value in move["attributes"].items())
    title = f"{move['us']:8.1f} µs  {move['count']:3} {move['op']:28}"
    return f"  {title} {operands} -> {results}  [{attributes}]  {move['location']}"
