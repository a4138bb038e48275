"""The chip that a row was measured on."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from layouts import named_grid
from rows import Row

from ttstack.diagnostics import TTStackError
from ttstack.system_desc import ChipDesc, load
from ttstack.system_desc.at_release import chip_at_release
from ttstack.system_desc.releases import release_of


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
    """The chip of each row; rows of one board, release of ttnn and grid share theirs, which is made once."""
    known: dict[tuple[str, ...], ChipDesc] = {}
    for row in rows:
        key = (row.arch, row.board, release_of(row.day), row.grid)
        if key not in known:
            known[key] = chip_of(row, chip)
        yield known[key]


def chip_of(row: Row, chip: ChipDesc) -> ChipDesc:
    """`chip`, or a Blackhole where the row says so, as its board and day have it, with as many cores as its grid."""
    words = f"{row.arch} {row.board}".lower()
    blackhole = row.blackhole
    if blackhole and chip.arch != "blackhole":
        chip = _preset("blackhole_p150")
    if not blackhole and chip.arch == "blackhole" and "wormhole" in words:
        chip = _preset("wormhole")
    if row.day:
        chip = chip_at_release(chip, release_of(row.day))
    for pattern, variant in _VARIANTS.items():
        if re.search(pattern, words, re.IGNORECASE) and blackhole == pattern.startswith(r"\bp"):
            chip = _varied(chip, variant)
            break
    grid = named_grid(row.grid, chip.tensix_grid)
    return chip if grid is None else _grown(chip, grid.rows, grid.cols)


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
