"""Whole models beside published measurements, and what rewrites make of them, as the benchmark's commands wrote it."""

import json
from pathlib import Path
from typing import Any

from ttstack_docs.markdown import table

_DOCS = Path(__file__).parents[2]
_TITLES = ("model", "compiled with", "ops", "predicted, ms", "measured, ms", "error", "moves data", "")


def published_models() -> str:
    """A row for each measurement, then those of networks that nobody measured."""
    records = [record for of in json.loads((_DOCS / "models.json").read_text()).values() for record in of]
    ordered = sorted(records, key=lambda record: record["measured_ms"] is None)
    return table(_TITLES, map(_row, ordered))


def mechanisms(kind: str) -> str:
    """A row for each experiment, or each group of latencies: rows, errors, a usual row, and the term that says it."""
    unit = {"experiments": "ns", "latencies": "cycles"}[kind]
    titles = (
        "experiment",
        "rows",
        "predicted",
        "median error",
        "bias",
        f"measured, {unit}",
        f"predicted, {unit}",
        "term",
    )
    found = json.loads((_DOCS / "mechanisms.json").read_text())[kind]
    said = (record for record in found if record["said"])
    return table(titles, map(_mechanism, said))


def unsaid_mechanisms() -> str:
    """A row for each experiment of which some rows have no prediction: how many, and why."""
    found = json.loads((_DOCS / "mechanisms.json").read_text())["experiments"]
    lacking = (record for record in found if record["reason"])
    return table(
        ("experiment", "rows without a prediction", "reason"),
        ([r["group"], str(r["rows"] - r["said"]), r["reason"]] for r in lacking),
    )


def _mechanism(record: dict[str, Any]) -> list[str]:
    errors = [f"{100 * record['median']:.1f} %", f"{100 * record['bias']:+.1f} %"]
    usual = [f"{record['measured']:,}", f"{record['predicted']:,}"]
    return [record["group"], str(record["rows"]), str(record["said"]), *errors, *usual, record["term"]]


def rewritten_models() -> str:
    """A row for each network: ops, predicted milliseconds and the share that moves data, without rewrites and with."""
    titles = ("model", *(f"{what} {way}" for way in ("without", "with") for what in ("ops", "ms", "moves data")))
    found = json.loads((_DOCS / "rewrites.json").read_text())
    return table(titles, ([name, *_both(record)] for name, record in found.items()))


def _both(record: dict[str, Any]) -> list[str]:
    return [cell for way in ("without", "with") for cell in _figures(record[way])]


def _figures(figures: dict[str, float] | str) -> list[str]:
    if isinstance(figures, str):
        return [figures, "", ""]
    total = figures["kernel_ns"] + figures["gap_ns"]
    return [f"{figures['ops']:,}", f"{total / 1e6:,.2f}", f"{100 * figures['moving_ns'] / total:.1f} %"]


def _row(record: dict[str, Any]) -> list[str]:
    measured, predicted = record["measured_ms"], record["predicted_ms"]
    board = "" if record["system"] == "wormhole" else f" ({record['system']})"
    beside = ["", ""] if measured is None else [f"{measured:,.2f}", f"{100 * (predicted / measured - 1):+.1f} %"]
    figures = [f"{record['ops']:,}", f"{predicted:,.2f}", *beside, f"{100 * record['moving']:.1f} %"]
    return [record["model"] + board, record["options"], *figures, record["reason"]]
