"""Rows of the table of measurements, in the units of predictions."""

import csv
from dataclasses import dataclass
from pathlib import Path

_PRESETS = {"n150": "wormhole", "n150 or one chip of n300": "wormhole", "p150": "blackhole_p150"}
"""Boards of one chip; the others take more than one."""


@dataclass(frozen=True)
class Row:
    """One measurement on one chip."""

    model: str
    board: str
    preset: str
    milliseconds: float
    """Time that a batch, a prompt or a step takes."""
    kind: str
    notes: str

    @property
    def kernels_only(self) -> bool:
        """Whether the gaps between kernels and the host are left out."""
        return self.kind == "sum of device kernels"

    @property
    def tolerance(self) -> float | None:
        """Share by which the prediction may be off; None where the host is part of what was measured."""
        if not self.kernels_only:
            return None
        return 0.10 if "decode" in self.model else 0.15


def read_rows(path: Path) -> list[Row]:
    """Those of boards with one chip."""
    with path.open(newline="") as file:
        found = [row for row in csv.DictReader(file) if row["board"] in _PRESETS]
    return [Row(r["model"], r["board"], _PRESETS[r["board"]], _milliseconds(r), r["kind"], r["notes"]) for r in found]


def _milliseconds(row: dict[str, str]) -> float:
    value = float(row["value"])
    match row["unit"]:
        case "ms":
            return value
        case "samples/s":
            return 1e3 * int(row["batch"]) / value
        case "tokens/s":
            return 1e3 * int(row["batch"] if "decode" in row["model"] else row["context"]) / value
        case "tokens/s/user":
            return 1e3 / value
        case unit:
            raise ValueError(f"{row['model']} is in {unit}")
