"""Cycles of functions of the vector unit, from an op on one tile: what its kernel does not take without them."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

from boards import chip_of, named_chip
from expressed import Expressed
from predictions import Placed
from rows import Row

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.chip_figures import read, with_figures

SOURCE = "DERIVED from ttnn-performance-dashboard 2026-08, one tile of bf16 less its kernel without the function"
_TABLE = "vector.cycles_per_tile"
_ONE_TILE = "32x32"
_LEAST = 8.0
"""Cycles: of a function that takes no longer than the measurement's noise."""


def measured_functions(rows: Sequence[Expressed], chip: ChipDesc) -> dict[str, list[Expressed]]:
    """By path, the rows of one tile of each function that the chip's table names."""
    found: defaultdict[str, list[Expressed]] = defaultdict(list)
    for row in rows:
        name = _function(row)
        if name in chip.vector.cycles_per_tile and row.row.arch.lower().startswith(chip.arch[:5]):
            found[f"{_TABLE}.{name}"].append(row)
    return dict(found)


def _function(row: Expressed) -> str:
    """The function that one tile of a row's op is a measurement of; empty if none."""
    if not isinstance(row.forecast, Placed) or not row.row.table.endswith(_ONE_TILE) or "elementwise" not in row.kind:
        return ""
    placed = row.forecast.cases[0][0]
    return "" if placed.op.mnemonic == "typecast" else placed.op.mnemonic  # of one format to itself: a copy


def forgotten(chip: ChipDesc, rows: Sequence[Row]) -> ChipDesc:
    """The chip with functions that rows of one tile give as if nobody had measured them; as it is without such rows.

    On Blackhole they are Wormhole's then, as those are that nobody did measure there.
    """
    if not any(row.table.endswith(_ONE_TILE) for row in rows):
        return chip
    names = [name for name in chip.vector.cycles_per_tile if chip.source_of(f"{_TABLE}.{name}") == SOURCE]
    known = named_chip("wormhole").vector.cycles_per_tile if chip.arch == "blackhole" else {}
    cycles = [known.get(name, chip.vector.default_cycles_per_tile) for name in names]
    return with_figures(chip, [f"{_TABLE}.{name}" for name in names], cycles)


def solve_functions(rows: Sequence[Expressed], chip: ChipDesc) -> ChipDesc:
    """The chip with the cycles with which the rows of one tile take as long as measured, in whole cycles."""
    for path, members in measured_functions(rows, chip).items():
        without = with_figures(chip, (path,), (_LEAST,))
        left = mean(r.measured_us - r.us(chip_of(r.row, without)) for r in members)
        cycles = round(_LEAST + left * 1e-6 * chip.clock_hz)
        chip = with_figures(chip, (path,), (max(cycles, _LEAST),))
    return chip


def solved(rows: Sequence[Expressed], chip: ChipDesc) -> dict[str, str]:
    """The figures that rows of one tile give, as presets spell them."""
    return {path: f"{read(chip, path):.0f}" for path in measured_functions(rows, chip)}
