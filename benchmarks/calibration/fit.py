"""Fit the free parameters of a preset: `python fit.py ROWS.csv|FOLDER [--folds 3] [--write PRESET.yaml]`.

Each parameter is a physical quantity of the device description. Residuals are logarithms of predicted over
measured, every class of measurements weighs the same. With `--folds`, each shape is predicted by a fit that has not
seen it.
"""

import argparse
import re
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from boards import chips_of, named_chip
from expressed import Expressed
from figures import by_class
from functions import SOURCE, solve_functions, solved
from judged import Judged, express_all, judge
from preset import with_figure, with_section
from report import table
from rows import read_rows
from scipy.optimize import least_squares
from stages import BOUNDS, Stage, parameters, stages_of
from stated import calibration_lines

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.chip_figures import read, rounded, spelled, with_figures

ROUNDS = 2
"""Times that all stages are gone through: some share a figure."""
SAMPLE = 150
"""Rows of a class that take part in the fit; the largest classes are sweeps of one op."""


UNSEEN = "DERIVED by cross-validation over shapes"
SEEN = "DERIVED by comparison with the rows, those that figures are fitted to included"


def main() -> None:
    """Print the fitted parameters and the table by class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, help="a CSV file of measurements, or a folder of them")
    parser.add_argument("--folds", type=int, default=0, help="of shapes; with 1, rows are judged as the preset is")
    parser.add_argument("--write", type=Path, help="a preset's YAML file, to be changed in place")
    parser.add_argument("--system-desc", default="wormhole")
    parser.add_argument("--only", default="", help="fit the stages with this in their sources, the others as they are")
    options = parser.parse_args()
    chip = named_chip(options.system_desc)
    stages = tuple(stage for stage in stages_of(options.system_desc) if re.search(options.only, stage.source))
    rows, _ = express_all(read_rows(options.rows), chip)
    fitted = fit(rows, chip, stages)
    judged = cross_validate(rows, chip, stages, options.folds) if options.folds else []
    figures = {path: (spelled(fitted, path), source) for path, source in parameters(stages).items()}
    figures |= {path: (figure, SOURCE) for path, figure in solved(rows, fitted).items()}
    if options.write:
        of_preset = stages_of(options.system_desc)
        _write(figures, _of_arch(judged, chip), of_preset, SEEN if options.folds == 1 else UNSEEN, options.write)
    lines = [f"{path}: {figure}  (was {read(chip, path):.6g})" for path, (figure, _) in figures.items()]
    lines += ["", "in sample:", *table("class", by_class(judge(rows, fitted)))]
    if options.folds:
        lines += ["", f"{options.folds} folds over shapes:", *table("class", by_class(judged))]
    sys.stdout.write("\n".join(lines) + "\n")


def _write(
    figures: dict[str, tuple[str, str]], judged: list[Judged], stages: tuple[Stage, ...], source: str, path: Path
) -> None:
    text = path.read_text()
    for name, (figure, cited) in figures.items():
        text = with_figure(text, name, figure, cited)
    if judged:
        text = with_section(text, "calibration", calibration_lines(judged, stages), source)
    path.write_text(text)


def _of_arch(judged: list[Judged], chip: ChipDesc) -> list[Judged]:
    """The rows that were measured on the preset's architecture."""
    return [j for j in judged if j.expressed.row.arch.lower().startswith("blackhole") == (chip.arch == "blackhole")]


def fit(rows: Sequence[Expressed], chip: ChipDesc, stages: tuple[Stage, ...]) -> ChipDesc:
    """The chip with the parameters that fit the rows best.

    The search starts from two digits of each figure, so that a fitted preset gives the same figures again.
    """
    taken = [_sample([row for row in rows if stage.takes(row)]) for stage in stages]
    paths = tuple(parameters(stages))
    chip = with_figures(chip, paths, [rounded(chip, path) for path in paths])
    for _ in range(ROUNDS):
        for stage, members in zip(stages, taken, strict=True):
            chip = _fit_stage(stage, members, chip)
    return solve_functions(rows, chip)


def _fit_stage(stage: Stage, rows: Sequence[Expressed], chip: ChipDesc) -> ChipDesc:
    """Least squares of the logarithms of predicted over measured; each class weighs the same, outliers less."""
    if not rows:
        return chip
    sizes = Counter(row.kind for row in rows)
    weights = np.array([sizes[row.kind] ** -0.5 for row in rows])
    measured = np.log([row.measured_us for row in rows])
    start = np.log([read(chip, path) for path in stage.paths])

    def residuals(x: np.ndarray) -> np.ndarray:
        trial = with_figures(chip, stage.paths, np.exp(x).tolist())
        chips = chips_of((row.row for row in rows), trial)
        return weights * (np.log([row.us(of) for row, of in zip(rows, chips, strict=True)]) - measured)

    high = np.log([BOUNDS.get(path, np.inf) for path in stage.paths])
    solution = least_squares(residuals, start, bounds=(start - 3, high), loss="soft_l1", f_scale=0.01, x_scale=0.3)
    return with_figures(chip, stage.paths, np.exp(solution.x).tolist())


def cross_validate(rows: Sequence[Expressed], chip: ChipDesc, stages: tuple[Stage, ...], folds: int) -> list[Judged]:
    """Each row judged by a fit on the shapes of the other folds."""
    judged: list[Judged] = []
    for fold in range(folds):
        held = [row for row in rows if _fold(row, folds) == fold]
        judged += judge(held, fit([row for row in rows if _fold(row, folds) != fold], chip, stages))
    return judged


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


def _fold(row: Expressed, folds: int) -> int:
    return zlib.crc32(row.row.shape.encode()) % folds


if __name__ == "__main__":
    main()
