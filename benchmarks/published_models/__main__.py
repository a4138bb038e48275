"""Whole models, predicted beside what others measured of programs that experts wrote.

    python -m benchmarks.published_models CSV [NAME ...] [--json FILE] [--whole] [--ops COUNT]

Layers that are alike are counted: one and two of them are compiled, and the rest is as many times the difference.
`--whole` compiles all. With names, only these; figures of others stay in the JSON file, of which docs/models.md is
made.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.published_models.networks import NETWORKS
from benchmarks.published_models.predict import Figures, predict, slowest
from benchmarks.published_models.rows import Row, read_rows
from ttstack.support.files import write_whole


def main() -> int:
    """Print a line for each row; 1 where a prediction is further off than it may be and nothing says why."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path, help="the table of measurements of whole models")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(NETWORKS)}")
    parser.add_argument("--json", type=Path, help="where figures are kept")
    parser.add_argument("--whole", action="store_true", help="compile all layers")
    parser.add_argument("--ops", type=int, default=0, help="how many of the slowest ops are shown")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in NETWORKS]:
        parser.error(f"no {', '.join(unknown)}; there are {', '.join(NETWORKS)}")
    rows = read_rows(asked.measured)
    kept = json.loads(asked.json.read_text()) if asked.json and asked.json.exists() else {}
    for name in asked.names or NETWORKS:
        kept[name] = list(_records(name, [row for row in rows if row.model == name], asked.whole, asked.ops))
        if asked.json:
            ordered = {name: kept[name] for name in NETWORKS if name in kept}
            write_whole(asked.json, json.dumps(ordered, indent=1) + "\n")
    return int(any(record["fault"] for name in asked.names or NETWORKS for record in kept[name]))


def _records(name: str, rows: list[Row], whole: bool, ops: int) -> Iterator[dict[str, Any]]:
    for preset in dict.fromkeys(row.preset for row in rows) or ["wormhole"]:
        figures, reports = predict(NETWORKS[name], whole=whole, system=preset)
        for line in slowest(reports[-1], ops):
            print(f"    {line}")
        for row in [row for row in rows if row.preset == preset] or [None]:
            record = _record(name, figures, preset, row)
            print(_line(record), flush=True)
            yield record


def _record(name: str, figures: Figures, preset: str, row: Row | None) -> dict[str, Any]:
    kernels = row is None or row.kernels_only
    predicted = (figures.kernel_ns if kernels else figures.total_ns) / 1e6
    record = {"model": name, "system": preset, "predicted_ms": predicted, **asdict(figures)}
    record |= {"moving": figures.moving_ns / figures.total_ns, "options": _spelled(NETWORKS[name].options)}
    if row is None:
        return record | {"measured_ms": None, "kind": "", "reason": "nothing measured", "fault": False}
    error, reason = predicted / row.milliseconds - 1, NETWORKS[name].differs
    if row.tolerance is None:
        reason = "; ".join(filter(None, (_rest(row.milliseconds - predicted), reason)))
    elif abs(error) <= row.tolerance:
        reason = ""
    fault = row.tolerance is not None and abs(error) > row.tolerance and not reason
    reason = "not explained" if fault else reason
    return record | {"measured_ms": row.milliseconds, "kind": row.kind, "reason": reason, "fault": fault}


def _rest(milliseconds: float) -> str:
    """What of a time from end to end is not the device's."""
    if milliseconds < 0:
        return f"the device alone is predicted {-milliseconds:.2f} ms slower than the whole"
    return f"{milliseconds:.2f} ms are the host's and of transfers"


def _spelled(options: Any) -> str:
    return ", ".join(f"{key} {value}" if isinstance(value, str) else key for key, value in options.items())


def _line(record: dict[str, Any]) -> str:
    measured = record["measured_ms"]
    beside = "" if measured is None else f", measured {measured:.3f} ({record['predicted_ms'] / measured - 1:+.1%})"
    return (
        f"{record['model']} on {record['system']}, {record['options']}: {record['ops']} ops, "
        f"{record['predicted_ms']:.3f} ms{beside}, {record['moving']:.1%} of it moves data. {record['reason']}"
    )


if __name__ == "__main__":
    sys.exit(main())
