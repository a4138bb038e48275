"""The same networks by other ways in, as the benchmark's command wrote them."""

import json
from pathlib import Path
from typing import Any

from ttstack_docs.markdown import table

_FILE = Path(__file__).parents[2] / "frontends.json"


def network_ways() -> str:
    """A row for each network: ops and predicted microseconds by each way that it has."""
    found: dict[str, dict[str, Any]] = json.loads(_FILE.read_text())
    ways = list(dict.fromkeys(way for by in found.values() for way in by))
    titles = ("network", *(title for way in ways for title in (f"{way}: ops", "µs")))
    rows = ([name, *(cell for way in ways for cell in _cells(by.get(way)))] for name, by in found.items())
    return table(titles, rows)


def _cells(figures: dict[str, Any] | None) -> list[str]:
    if figures is None:
        return ["", ""]
    if "refused" in figures:
        return [f"refused: {figures['refused'].partition(':')[0]}", ""]
    return [str(figures["ops"]), f"{figures['us']:,.1f}"]
