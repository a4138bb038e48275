"""Published measurements, as rows of a CSV file."""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One measurement; fields that the file leaves empty, or has no column for, are empty."""

    number: int
    source: str
    table: str
    arch: str
    board: str
    op: str
    shape: str
    dtypes: tuple[str, str, str]
    fidelity: str
    memory_layout: str
    grid: str
    time_us: float | None
    tflops: float | None
    time_kind: str
    notes: str

    def numbers(self) -> tuple[int, ...]:
        """All whole numbers of the shape."""
        return tuple(int(n) for n in re.findall(r"\d+", self.shape))


def read_rows(path: Path) -> list[Row]:
    """All rows of a file with the columns of the calibration file; `op` and `measured_time_us` must be there."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"cannot read {path}: {error}") from error
    with StringIO(text, newline="") as file:
        reader = csv.DictReader(file)
        missing = {"op", "measured_time_us"} - set(reader.fieldnames or ())
        if missing:
            raise SystemExit(f"{path}: no column {', '.join(sorted(missing))}")
        return [_row(number, record) for number, record in enumerate(reader, start=2)]


def _row(number: int, record: Mapping[str, str | None]) -> Row:
    def text(name: str) -> str:
        return (record.get(name) or "").strip()

    return Row(
        number=number,
        source=text("source"),
        table=text("table"),
        arch=text("arch"),
        board=text("board"),
        op=text("op"),
        shape=text("shape"),
        dtypes=(text("dtype_in0"), text("dtype_in1"), text("dtype_out")),
        fidelity=text("fidelity"),
        memory_layout=text("memory_layout"),
        grid=text("grid"),
        time_us=_number(text("measured_time_us")),
        tflops=_number(text("measured_tflops")),
        time_kind=text("time_kind"),
        notes=text("notes"),
    )


def _number(text: str) -> float | None:
    """The time; None where there is none, or nothing above zero."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if value > 0 else None
