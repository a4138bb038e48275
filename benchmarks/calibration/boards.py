"""The chip that a row was measured on."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from layouts import named_grid
from pydantic import BaseModel
from rows import Row

from ttstack.diagnostics import TTStackError
from ttstack.system_desc import ChipDesc, load


@dataclass(frozen=True)
class Variant:
    """A board whose chip differs from the preset of its architecture."""

    grid: tuple[int, int]
    """Rows and columns of workers."""
    dram: float
    """DRAM peak, relative to the preset's."""


_VARIANTS = {
    r"galaxy|\btg\b|\b[46]u\b": Variant((10, 7), 14 / 12),
    r"14 ?GT": Variant((8, 8), 14 / 12),
    r"56 cores": Variant((7, 8), 1),
    r"\bp100": Variant((10, 11), 7 / 8),
}
"""Galaxy chips have faster memory and dispatch from a column; a p100 has 7 of 8 DRAM channels."""


_BOARDS = {"t3k": "t3000", "p100": "p100a", "p150a": "p150"}
"""Other names of boards, by what presets call them."""

_OLDER = "wormhole_2024"
_SINCE = "2025-07"
"""Month from which measurements are taken to be of today's kernels; ttnn-op-runtime-predictor's are of 2024's."""
_FUNCTIONS_SINCE = "2026-06"
"""The same of functions of the vector unit and of heads on Blackhole, whose traces of 2026-04 have those of 2024."""


def board_names(row: Row) -> set[str]:
    """The boards that a row may have been measured on, as presets call them; empty where it names none."""
    named = (found[0] for found in re.finditer(r"n150|n300|t3000|t3k|galaxy|p100a?|p150a?", row.board.lower()))
    return {_BOARDS.get(name, name) for name in named}


def named_chip(name: str) -> ChipDesc:
    """The first chip of a preset, or of a description in a file."""
    try:
        return load(name).chips[0]
    except TTStackError as error:
        raise SystemExit(str(error)) from error


@cache
def _preset(name: str) -> ChipDesc:
    return load(name).chips[0]


def chips_of(rows: Iterable[Row], chip: ChipDesc) -> Iterator[ChipDesc]:
    """The chip of each row; rows of one board, release and grid share theirs, which is made once."""
    known: dict[tuple[str, ...], ChipDesc] = {}
    for row in rows:
        key = (row.arch, row.board, row.month, row.grid)
        if key not in known:
            known[key] = chip_of(row, chip)
        yield known[key]


def chip_of(row: Row, chip: ChipDesc) -> ChipDesc:
    """`chip`, or a Blackhole where the row says so, as the row's board has it, with as many cores as its grid."""
    words = f"{row.arch} {row.board}".lower()
    blackhole = row.blackhole
    if blackhole and chip.arch != "blackhole":
        chip = _preset("blackhole_p150")
    if not blackhole and chip.arch == "blackhole" and "wormhole" in words:
        chip = _preset("wormhole")
    if row.month and row.month < _SINCE <= chip.library and chip.arch != "blackhole":
        chip = _with_kernels_of(chip, _preset(_OLDER), _preset("wormhole"))
    if row.month and row.month < _FUNCTIONS_SINCE <= chip.library and chip.arch == "blackhole":
        vector = _with_kernels_of(chip.vector, _preset(_OLDER).vector, _preset("wormhole").vector)
        movement = chip.movement.model_copy(update={"head_tiles": _preset(_OLDER).movement.head_tiles})
        chip = chip.model_copy(update={"vector": vector, "movement": movement})
    for pattern, variant in _VARIANTS.items():
        if re.search(pattern, words, re.IGNORECASE) and blackhole == pattern.startswith(r"\bp"):
            chip = _varied(chip, variant)
            break
    grid = named_grid(row.grid, chip.tensix_grid)
    return chip if grid is None else _grown(chip, grid.rows, grid.cols)


def _with_kernels_of(part: Any, older: Any, today: Any) -> Any:
    """A part of a description with the figures of an older release where that differs from today's."""
    if isinstance(part, Mapping):
        return type(part)({**part, **{name: v for name, v in older.items() if today.get(name) != v}})
    changed = [name for name in type(part).model_fields if getattr(older, name) != getattr(today, name)]
    changed = [name for name in changed if name not in ("sources", "calibration", "source_errors")]
    return part.model_copy(update={name: _changed(part, older, today, name) for name in changed})


def _changed(part: Any, older: Any, today: Any, name: str) -> Any:
    had, has, now = (getattr(x, name) for x in (part, older, today))
    return _with_kernels_of(had, has, now) if isinstance(had, BaseModel | Mapping) else has


def _varied(chip: ChipDesc, variant: Variant) -> ChipDesc:
    peak = chip.dram.peak_bytes_per_second * variant.dram
    dram = chip.dram.model_copy(update={"peak_bytes_per_second": peak})
    return chip.model_copy(update={"grid": variant.grid, "dram": dram})


def _grown(chip: ChipDesc, rows: int, cols: int) -> ChipDesc:
    """Boards have more workers than the preset's under another dispatch, never more than the die."""
    (have_rows, have_cols), (die_rows, die_cols) = chip.grid, chip.tensix_grid
    if (rows <= have_rows and cols <= have_cols) or rows > die_rows or cols > die_cols:
        return chip
    return chip.model_copy(update={"grid": (max(rows, have_rows), max(cols, have_cols))})
