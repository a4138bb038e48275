"""Fit the free parameters of a preset: `python fit.py ROWS.csv|FOLDER [--folds 3] [--write|--check PRESET.yaml]`.

Each parameter is a physical quantity of the device description. Residuals are logarithms of predicted over
measured, every class of measurements weighs the same. With `--folds`, each shape is predicted by a fit that has not
seen it, or each source. What is fitted depends on the rows and on the figures that are not fitted, not on those that
the preset had before: a second fit gives the same preset.
"""

import argparse
import re
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path

from boards import named_chip
from coverage import coverage, coverage_lines, judged_unseen, plot
from cross_validation import cross_validate
from figures import by_class
from functions import SOURCE, forgotten, solved
from judged import express_all, judge
from page import page, traces_of
from preset import with_figure, with_section
from repeats import repeats
from report import table
from rows import of_arch, read_rows
from search import fit
from stages import parameters, stages_of
from stated import calibration_lines, stated_errors

from ttstack.system_desc.base import FrozenDict
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
    good, refused = express_all(rows, fitted)
    folds = list(cross_validate(rows, begin, stages, options.folds, options.over))
    unseen = [j for fold in folds for j in fold.judged()]
    stated = stated_errors(unseen, stages_of(chip)) if unseen else chip.calibration
    seen = judge(good, fitted.model_copy(update={"calibration": FrozenDict(stated)}))
    covered = coverage(list(judged_unseen(folds, stages_of(chip)))) if len(folds) > 1 else {}
    figures = {path: (spell_figure(fitted, path), source) for path, source in parameters(stages).items()}
    figures |= {path: (figure, SOURCE) for path, figure in solved(good, fitted).items()}
    lines = [f"{path}: {figure}  (was {read(chip, path):.6g})" for path, (figure, _) in figures.items()]
    lines += ["", "in sample:", *table("class", by_class(seen))]
    if unseen:
        lines += ["", f"{options.folds} folds over {options.over}s:", *table("class", by_class(unseen))]
    if covered:
        lines += ["", "within the errors that the other folds state:", *coverage_lines(covered)]
    sys.stdout.write("\n".join(lines) + "\n")
    if options.plot and covered:
        plot(covered, options.plot)
    if options.page:
        drawn = Path(relpath(options.plot, options.page.parent)) if options.plot else None
        command = f"python benchmarks/calibration/fit.py FOLDER {' '.join(sys.argv[2:])}"
        classes = by_class(seen), by_class(unseen)
        facts = covered, traces_of(seen, refused), repeats(good)
        told = page(options.system_desc, options.over, command, *classes, *facts, drawn)
        options.page.write_text("\n".join(told) + "\n")
    _write(options, figures, calibration_lines(stated) if unseen else ())


def _write(options: argparse.Namespace, figures: dict[str, tuple[str, str]], stated: Iterable[str]) -> None:
    """Change the preset, or say that it would change."""
    path = options.write or options.check
    if path is None:
        return
    text = path.read_text()
    for name, (figure, cited) in figures.items():
        text = with_figure(text, name, figure, cited)
    if lines := list(stated):
        text = with_section(text, "calibration", lines, SEEN if options.folds == 1 else UNSEEN)
    if options.write:
        path.write_text(text)
    elif text != path.read_text():
        raise SystemExit(f"{path} is not what this fit gives: write it with --write {path}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="a CSV file of measurements, or a folder of them")
    parser.add_argument("--folds", type=int, default=0, help="with 1, rows are judged as the preset is")
    parser.add_argument(
        "--over", choices=("shape", "source"), default="shape", help="what a fold leaves out as a whole"
    )
    result = parser.add_mutually_exclusive_group()
    result.add_argument("--write", type=Path, help="a preset's YAML file, to be changed in place")
    result.add_argument("--check", type=Path, help="a preset's YAML file: an error where --write would change it")
    parser.add_argument("--plot", type=Path, help="an SVG file of how often rows lie within the stated errors")
    parser.add_argument("--page", type=Path, help="a page of the documentation with these tables")
    parser.add_argument("--system-desc", default="wormhole")
    parser.add_argument("--only", default="", help="fit the stages with this in their sources, the others as they are")
    options = parser.parse_args()
    if options.plot and not find_spec("matplotlib"):
        parser.error("--plot needs matplotlib: pip install 'ttstack[plots]'")
    return options


if __name__ == "__main__":
    main()
