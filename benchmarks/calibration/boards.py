"""The chip that a row was measured on."""

import re
from functools import cache

from rows import Row

from ttstack.system_desc import ChipDesc, load


def chip_of(row: Row, chip: ChipDesc) -> ChipDesc:
    """`chip`, or a Blackhole where the row says so, with as many cores as the row's grid."""
    words = f"{row.arch} {row.board}".lower()
    blackhole = re.search(r"blackhole|\bp1[05]0|\bp300", words) is not None
    if blackhole and chip.arch != "blackhole":
        chip = load("blackhole_p150").chips[0]
    if not blackhole and chip.arch == "blackhole" and "wormhole" in words:
        chip = load("wormhole").chips[0]
    named = re.fullmatch(r"(\d+)\s*x\s*(\d+)", row.grid.strip())
    return chip if named is None else _grown(chip, int(named[1]), int(named[2]))


@cache
def _grown(chip: ChipDesc, rows: int, cols: int) -> ChipDesc:
    """Boards have more workers than the preset's under another dispatch, never more than the die."""
    (have_rows, have_cols), (die_rows, die_cols) = chip.grid, chip.tensix_grid
    if (rows <= have_rows and cols <= have_cols) or rows > die_rows or cols > die_cols:
        return chip
    return chip.model_copy(update={"grid": (max(rows, have_rows), max(cols, have_cols))})
