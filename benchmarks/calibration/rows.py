"""Published measurements, as rows of CSV files."""

import csv
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from pathlib import Path

from notes import Notes, read_notes

from ttstack.system_desc import ChipDesc

_NEEDED = ("op", "measured_time_us")


@dataclass(frozen=True)
class Row:
    """One measurement; fields that the file leaves empty, or has no column for, are empty."""

    number: int
    source: str = ""
    table: str = ""
    arch: str = ""
    board: str = ""
    op: str = ""
    shape: str = ""
    dtypes: tuple[str, str, str] = ("", "", "")
    fidelity: str = ""
    memory_layout: str = ""
    grid: str = ""
    time_us: float | None = None
    tflops: float | None = None
    time_kind: str = ""
    notes: str = ""
    date: str = ""
    """When it was measured, or a revision of the library, as the file has it."""
    file: str = ""
    fault: str = ""
    """Why the row is no measurement of an op, where its file says so."""

    def numbers(self) -> tuple[int, ...]:
        """All whole numbers of the shape."""
        return tuple(int(n) for n in re.findall(r"\d+", self.shape))

    @cached_property
    def month(self) -> str:
        """The month of the date, as `2024-12`; empty where no date is known."""
        found = re.search(r"20\d\d-\d\d", self.date)
        return found[0] if found else ""

    @cached_property
    def said(self) -> Notes:
        """What the notes say, read once."""
        return read_notes(self.notes)


def read_rows(path: Path) -> list[Row]:
    """All rows of a file, or of all CSV files of a folder, with the columns of the calibration file.

    `op` and `measured_time_us` must be there; rows of a folder's file that lacks them say so in `fault`.
    """
    if not path.is_dir():
        rows = _read_file(path)
        if rows and rows[0].fault:
            raise SystemExit(f"{path}: {rows[0].fault}")
        return rows
    files = sorted(path.glob("*.csv"))
    if not files:
        raise SystemExit(f"{path} has no file *.csv")
    return [row for file in files for row in _read_file(file)]


def of_arch(rows: Iterable[Row], chip: ChipDesc) -> list[Row]:
    """The rows that were measured on the chip's architecture."""
    return [row for row in rows if row.arch.lower().startswith("blackhole") == (chip.arch == "blackhole")]


def read_records(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Columns and records of a CSV file; cells are stripped, and empty where a line is short."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"cannot read {path}: {error}") from error
    with StringIO(text, newline="") as file:
        reader = csv.DictReader(file)
        columns = list(reader.fieldnames or ())
        return columns, [{name: (record.get(name) or "").strip() for name in columns} for record in reader]


def _read_file(path: Path) -> list[Row]:
    columns, records = read_records(path)
    missing = [name for name in _NEEDED if name not in columns]
    fault = f"no column {', '.join(missing)}" if missing else ""
    if missing and not records:
        raise SystemExit(f"{path}: {fault}")
    return _unpadded([_row(number, record, path.name, fault) for number, record in enumerate(records, start=2)])


def _unpadded(rows: list[Row]) -> list[Row]:
    """What is left of a trace's cut tiles: the row says it where the next op is what fills them up again."""
    for i, (row, after) in enumerate(itertools.pairwise(rows)):
        cut = "UntilizeWithUnpadding" in row.op and "TilizeWithValPadding" in after.op
        if cut and row.shape.split("x")[:2] == after.shape.split("x")[:2] and ";" not in row.shape + after.shape:
            rows[i] = replace(row, shape=f"in0 {row.shape}; out {after.shape}")
    return rows


def _row(number: int, record: Mapping[str, str], file: str, fault: str) -> Row:
    def text(name: str) -> str:
        return record.get(name, "")

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
        time_us=number_of(text("measured_time_us")),
        tflops=number_of(text("measured_tflops")),
        time_kind=text("time_kind"),
        notes=text("notes"),
        date=text("date_or_rev"),
        file=file,
        fault=fault,
    )


def number_of(text: str) -> float | None:
    """The number in a cell; None where there is none, or nothing above zero."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if value > 0 else None
