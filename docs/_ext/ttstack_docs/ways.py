"""The same networks by other ways in, as the benchmark's command wrote them."""

import json
from pathlib import Path
from typing import Any

from ttstack_docs.markdown import table

_FILE = Path(__file__).parents[2] / "frontends.json"


def network_ways() -> str:
    """A row for each network: ops and predicted microseconds by each way."""
    found: dict[str, dict[str, Any]] = json.loads(_FILE.read_text())
    ways = list(next(iter(found.values())))
    titles = ("network", *(title for way in ways for title in (f"{way}: ops", "µs")))
    return table(titles, ([name, *(cell for way in ways for cell in _cells(by[way]))] for name, by in found.items()))


def _cells(figures: dict[str, Any]) -> list[str]:
    if "refused" in figures:
        return [f"refused: {figures['refused'].partition(':')[0]}", ""]
    return [str(figures["ops"]), f"{figures['us']:,.1f}"]
