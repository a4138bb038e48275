"""A profile of tt-metal (`ops_perf_results.csv`): the name and kernel time of each op."""

import csv
import math
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from ttstack.diagnostics import InputError
from ttstack.support.files import why_unread
from ttstack.support.suggestion import file_meant

_CODE, _TIME, _TYPE = "OP CODE", "DEVICE KERNEL DURATION [ns]", "OP TYPE"


class Measured(NamedTuple):
    """A measured op."""

    code: str
    ns: float


_WRITTEN = "run the program under `python -m tracy -r`, which writes ops_perf_results_*.csv"


def read_profile(path: Path) -> list[Measured]:
    """Return the ops of a profile that ran on the device, in order.

    Raises:
        InputError: the file cannot be read, or does not have such columns or ops.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in (_CODE, _TIME) if name not in (reader.fieldnames or ())]
            found = [Measured(r[_CODE] or "", _number(r[_TIME])) for r in reader if not missing and _ran(r.get(_TYPE))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = "it is not text" if isinstance(error, csv.Error) else why_unread(error)
        raise InputError(f"cannot read {path}: {why}", hint=file_meant(path) or _WRITTEN) from error
    if missing:
        raise InputError(
            f"{path} is not a profile of tt-metal",
            notes=tuple(f"there is no column '{name}'" for name in missing),
            hint=_WRITTEN,
        )
    kept = [measured for measured in found if 0 < measured.ns < math.inf]
    if not kept:
        raise InputError(f"{path} has no op with a duration on the device")
    return kept


def _ran(kind: str | None) -> bool:
    return kind in (None, "", "tt_dnn_device")


def _number(cell: str | None) -> float:
    try:
        return float(cell or 0)
    except ValueError:
        return 0.0


def match_measurements(codes: Sequence[str], measured: Sequence[Measured]) -> dict[int, float]:
    """Return measured nanoseconds by op position: matching runs of equal names, in the same order."""
    blocks = SequenceMatcher(None, codes, [m.code.split(":")[0] for m in measured], autojunk=False)
    return {block.a + i: measured[block.b + i].ns for block in blocks.get_matching_blocks() for i in range(block.size)}
