"""Fit the free parameters of a preset: `python fit.py ROWS.csv|FOLDER [--folds 3] [--write|--check PRESET.yaml]`.

Each parameter is a physical quantity of the device description. Residuals are logarithms of predicted over
measured, every class of measurements weighs the same. With `--folds`, each shape is predicted by a fit that has not
seen it, or each source. What is fitted depends on the rows and on the figures that are not fitted, not on those that
the preset had before: a second fit gives the same preset. With `--folds` it writes `calibration`, which
placement reads; what reports state is written by `errors.py`.
"""

import argparse
import re
import sys

from boards import named_chip
from cross_validation import cross_validate
from figures import by_class
from functions import SOURCE, forgotten, solved
from judged import express_all, judge
from outliers import outliers
from preset import preset_parser, with_figure, with_section, write_or_check
from report import table
from rows import of_arch, read_rows
from search import fit
from stages import parameters, stages_of
from stated import calibration_lines, stated_errors

from ttstack.system_desc.chip_figures import read, spell_figure

UNSEEN = "DERIVED by cross-validation over shapes"
SEEN = "DERIVED by comparison with the rows, those that figures are fitted to included"


def main() -> None:
    """Print the fitted parameters and the tables by class, and write what is asked for."""
    options = _options()
    chip = named_chip(options.system_desc)
    stages = tuple(stage for stage in stages_of(chip) if re.search(options.only, stage.source))
    rows = of_arch(read_rows(options.rows), chip)
    begin = forgotten(chip, rows)
    fitted = fit(rows, begin, stages)
    good, _ = express_all(rows, fitted)
    seen = judge(good, fitted)
    implausible = {j.expressed.row.place for j in outliers(seen)}
    unseen = [j for fold in cross_validate(rows, begin, stages, options.folds, options.over) for j in fold.judged()]
    figures = {path: (spell_figure(fitted, path), source) for path, source in parameters(stages).items()}
    figures |= {path: (figure, SOURCE) for path, figure in solved(good, fitted).items()}
    lines = [f"{path}: {figure}  (was {read(chip, path):.6g})" for path, (figure, _) in figures.items()]
    lines += ["", "in sample:", *table("class", by_class(seen))]
    if unseen:
        lines += ["", f"{options.folds} folds over {options.over}s:", *table("class", by_class(unseen))]
    sys.stdout.write("\n".join(lines) + "\n")
    path = options.write or options.check
    if path is not None:
        text = path.read_text()
        for name, (figure, cited) in figures.items():
            text = with_figure(text, name, figure, cited)
        if unseen:
            lines = calibration_lines(stated_errors(unseen, stages_of(chip), implausible))
            text = with_section(text, "calibration", lines, SEEN if options.folds == 1 else UNSEEN)
        write_or_check(path, text, check=path != options.write)


def _options() -> argparse.Namespace:
    parser = preset_parser(__doc__)
    parser.add_argument("--folds", type=int, default=0, help="with 1, the fit has seen its rows")
    parser.add_argument(
        "--over", choices=("shape", "source"), default="shape", help="what a fold leaves out as a whole"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
