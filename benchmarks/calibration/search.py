"""The search for figures that fit rows best, stage by stage."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce

import numpy as np
from boards import chips_of
from expressed import Expressed
from functions import solve_functions
from judged import express_all
from rows import Row
from scipy.optimize import least_squares
from stages import BOUNDS, Stage

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.chip_figures import read, with_figures

ROUNDS = 2
"""Times that all stages are gone through: some share a figure."""
SAMPLE = 150
"""Rows of a class that take part in the fit; the largest classes are sweeps of one op."""

_NUDGE = 0.9
"""What a figure is multiplied by to see whether times change with it."""
_STEPS = {"x_scale": 0.3, "xtol": 1e-6, "ftol": 1e-5}
"""Figures have four digits."""
_DIGITS = 1e-6
"""How far, as a logarithm, trials stay below the greatest value: they are descriptions too."""


def fit(rows: Sequence[Row], chip: ChipDesc, stages: Sequence[Stage]) -> ChipDesc:
    """The chip with the figures of the stages that fit the rows best, searched from where the stages begin.

    Each round chooses anew, with the figures of the round before, what configuration ops run with.
    """
    for stage in stages:
        chip = with_figures(chip, stage.paths, tuple(stage.starts.values()))
    for _ in range(ROUNDS):
        expressed, _ = express_all(rows, chip)
        for stage in stages:
            chip = _fit_stage(stage, _sample([row for row in expressed if stage.takes(row)]), chip)
        chip = solve_functions(expressed, chip)
    return chip


def _fit_stage(stage: Stage, rows: Sequence[Expressed], chip: ChipDesc) -> ChipDesc:
    """Least squares of the logarithms of predicted over measured; each class weighs the same, outliers less.

    Figures that no row depends on stay where the search begins.
    """
    paths = _determined(stage.paths, rows, chip)
    if not paths:
        return chip
    sizes = Counter(row.kind for row in rows)
    weights = np.array([sizes[row.kind] ** -0.5 for row in rows])
    measured = np.log([row.measured_us for row in rows])
    start = np.log([read(chip, path) for path in paths])

    def residuals(x: np.ndarray) -> np.ndarray:
        trial = with_figures(chip, paths, np.exp(x).tolist())
        chips = chips_of((row.row for row in rows), trial)
        return weights * (np.log([row.us(of) for row, of in zip(rows, chips, strict=True)]) - measured)

    high = np.log([min(BOUNDS.get(path, np.inf), _most(chip, path)) for path in paths]) - _DIGITS
    solution = least_squares(residuals, start, bounds=(start - 3, high), loss="soft_l1", f_scale=0.01, **_STEPS)
    return with_figures(chip, paths, np.exp(solution.x).tolist())


def _most(chip: ChipDesc, path: str) -> float:
    """The greatest value that a device description takes for a figure."""
    *sections, name = path.split(".")
    fields = getattr(type(reduce(getattr, sections, chip)), "model_fields", {})
    limits = [limit.le for limit in fields[name].metadata if hasattr(limit, "le")] if name in fields else []
    return min(map(float, limits), default=np.inf)


def _determined(paths: Sequence[str], rows: Sequence[Expressed], chip: ChipDesc) -> tuple[str, ...]:
    """The figures that the time of any row changes with."""

    def times(of: ChipDesc) -> list[float]:
        return [row.us(each) for row, each in zip(rows, chips_of((row.row for row in rows), of), strict=True)]

    before = times(chip)
    return tuple(p for p in paths if times(with_figures(chip, (p,), (_NUDGE * read(chip, p),))) != before)


def _sample(rows: Sequence[Expressed]) -> list[Expressed]:
    """At most `SAMPLE` rows of each class, evenly spaced."""
    sizes = Counter(row.kind for row in rows)
    seen: Counter[str] = Counter()
    chosen: list[Expressed] = []
    for row in rows:
        step = max(1, sizes[row.kind] // SAMPLE)
        if seen[row.kind] % step == 0:
            chosen.append(row)
        seen[row.kind] += 1
    return chosen
