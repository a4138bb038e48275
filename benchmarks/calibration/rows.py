"""Published measurements, as rows of a CSV file."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One measurement; fields that the file leaves empty are empty."""

    number: int
    source: str
    op: str
    shape: str
    dtypes: tuple[str, str, str]
    fidelity: str
    memory_layout: str
    grid: str
    time_us: float | None
    time_kind: str
    notes: str

    def numbers(self) -> tuple[int, ...]:
        """All whole numbers of the shape."""
        return tuple(int(n) for n in re.findall(r"\d+", self.shape))


def read_rows(path: Path) -> list[Row]:
    """All rows of a file with the columns of the calibration file."""
    with path.open(newline="") as file:
        return [_row(number, record) for number, record in enumerate(csv.DictReader(file), start=2)]


def _row(number: int, record: dict[str, str]) -> Row:
    return Row(
        number=number,
        source=record["source"],
        op=record["op"],
        shape=record["shape"],
        dtypes=(record["dtype_in0"], record["dtype_in1"], record["dtype_out"]),
        fidelity=record["fidelity"],
        memory_layout=record["memory_layout"],
        grid=record["grid"],
        time_us=float(record["measured_time_us"]) if record["measured_time_us"].strip() else None,
        time_kind=record["time_kind"],
        notes=record["notes"],
    )
