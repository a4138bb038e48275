"""Whole models beside published measurements, as the benchmark's command wrote them."""

import json
from pathlib import Path
from typing import Any

from ttstack_docs.markdown import table

_FILE = Path(__file__).parents[2] / "models.json"
_TITLES = ("model", "compiled with", "ops", "predicted, ms", "measured, ms", "error", "moves data", "")


def published_models() -> str:
    """A row for each measurement, then those of networks that nobody measured."""
    records = [record for of in json.loads(_FILE.read_text()).values() for record in of]
    ordered = sorted(records, key=lambda record: record["measured_ms"] is None)
    return table(_TITLES, map(_row, ordered))


def _row(record: dict[str, Any]) -> list[str]:
    measured, predicted = record["measured_ms"], record["predicted_ms"]
    board = "" if record["system"] == "wormhole" else f" ({record['system']})"
    beside = ["", ""] if measured is None else [f"{measured:,.2f}", f"{predicted / measured - 1:+.1%}"]
    figures = [f"{record['ops']:,}", f"{predicted:,.2f}", *beside, f"{record['moving']:.1%}"]
    return [record["model"] + board, record["options"], *figures, record["reason"]]
