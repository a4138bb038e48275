"""Published measurements, as rows of CSV files."""

import csv
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
    def blackhole(self) -> bool:
        """Whether architecture or board are Blackhole's; what names neither is Wormhole's."""
        return re.search(r"blackhole|\bbh\b|\bp1[05]0|\bp300", f"{self.arch} {self.board}", re.IGNORECASE) is not None

    @property
    def place(self) -> tuple[str, int]:
        """File and number, which no other row has."""
        return self.file, self.number

    @property
    def publication(self) -> str:
        """What the row was read from: rows of one publication may be in several files."""
        return self.source or self.file

    @cached_property
    def day(self) -> str:
        """The date, as `2024-12-18`, or the month or year where that is all; empty where no date is known.

        Of a range, in which a table was revised, the last.
        """
        found = re.findall(r"\b20\d\d(?:-\d\d){0,2}\b", self.date)
        return (found[-1] if ".." in self.date else found[0]) if found else ""

    @cached_property
    def said(self) -> Notes:
        """What the notes say, read once."""
        return read_notes(self.notes)


def read_rows(path: Path) -> list[Row]:
    """All rows of a file, or of all CSV files of a folder, with the columns of the calibration file.

    `op` and `measured_time_us` must be there; rows of a folder's file that lacks them say so in `fault`.
    """
    if not path.is_dir():
        if fault := _missing(read_records(path)[0]):
            raise SystemExit(f"{path}: {fault}")
        return _read_file(path)
    files = sorted(path.glob("*.csv"))
    if not files:
        raise SystemExit(f"{path} has no file *.csv")
    return [row for file in files for row in _read_file(file)]


def of_arch(rows: Iterable[Row], chip: ChipDesc) -> list[Row]:
    """The rows that were measured on the chip's architecture."""
    return [row for row in rows if row.blackhole == (chip.arch == "blackhole")]


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
    fault = _missing(columns)
    if fault and not records:
        raise SystemExit(f"{path}: {fault}")
    rows = [_row(number, record, path.name, fault) for number, record in enumerate(records, start=2)]
    return _scattered(_unpadded(rows))


def _missing(columns: Sequence[str]) -> str:
    """Why a file with these columns has no measurements of ops; empty where it has."""
    missing = [name for name in _NEEDED if name not in columns]
    return f"no column {', '.join(missing)}" if missing else ""


def _unpadded(rows: list[Row]) -> list[Row]:
    """What is left of a trace's cut tiles: the row says it where the next op is what fills them up again."""
    for i, (row, after) in enumerate(itertools.pairwise(rows)):
        cut = "UntilizeWithUnpadding" in row.op and "TilizeWithValPadding" in after.op
        if cut and row.shape.split("x")[:2] == after.shape.split("x")[:2] and ";" not in row.shape + after.shape:
            rows[i] = replace(row, shape=f"in0 {row.shape}; out {after.shape}")
    return rows


def _scattered(rows: list[Row]) -> list[Row]:
    """Rows of scatters with the number of chips that all gathers of their program have, where they name none."""
    gathers: defaultdict[str, set[int]] = defaultdict(set)
    for row in rows:
        sizes = [math.prod(map(int, shape.split("x"))) for shape in re.findall(r"\d+(?:x\d+)+", row.shape)]
        if re.match(r"all_?gather", row.op, re.IGNORECASE) and len(sizes) == 2:
            gathers[row.source].add(sizes[1] // sizes[0])
    for i, row in enumerate(rows):
        chips = gathers.get(row.source, set())
        if re.match(r"reduce_?scatter", row.op, re.IGNORECASE) and len(chips) == 1 and "devices" not in row.notes:
            rows[i] = replace(row, notes=f"{min(chips)} devices; {row.notes}")
    return rows


def _row(number: int, record: Mapping[str, str], file: str, fault: str) -> Row:
    def text(name: str) -> str:
        return record.get(name, "")

    time, us = text("measured_time_us"), number_of(text("measured_time_us"))
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
        time_us=us,
        tflops=number_of(text("measured_tflops")),
        time_kind=text("time_kind"),
        notes=text("notes"),
        date=text("date_or_rev"),
        file=file,
        fault=fault or (f"{time!r} is not time" if time and us is None else ""),
    )


def number_of(text: str) -> float | None:
    """The number in a cell; None where there is none, or nothing finite above zero."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if 0 < value < math.inf else None
