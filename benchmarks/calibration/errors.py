"""What reports state of a preset's errors: `python errors.py ROWS.csv|FOLDER [--write|--check PRESET.yaml]`.

Every row is predicted by a fit that has not seen its source or, in classes of one source, its shape. The figures of
the preset stay as they are.
"""

import argparse
import re
import sys
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path

from boards import named_chip
from coverage import coverage, coverage_lines, judged_stated, judged_unseen, plot
from cross_validation import folds_by_source
from figures import by_class
from functions import forgotten
from judged import express_all, judge
from outliers import outliers
from page import Page, page, traces_of
from preset import preset_parser, with_section, write_or_check
from repeats import repeats
from rows import of_arch, read_rows
from stages import stages_of
from stated import calibration_lines, stated_errors

from ttstack.system_desc.base import FrozenDict

SOURCE = "DERIVED by cross-validation over sources, over shapes in classes of one source"


def main() -> None:
    """Print how often rows lie within what is stated, and write what is asked for."""
    options = _options()
    chip = named_chip(options.system_desc)
    stages = tuple(stage for stage in stages_of(chip) if re.search(options.only, stage.source))
    rows = of_arch(read_rows(options.rows), chip)
    good, refused = express_all(rows, chip)
    odd = outliers(judge(good, chip))
    implausible = {j.expressed.row.place for j in odd}
    folds = list(folds_by_source(rows, forgotten(chip, rows), stages, options.folds, options.folds_over_shapes))
    unseen = [j for fold in folds for j in fold.judged()]
    stated = stated_errors(unseen, stages_of(chip), implausible)
    told = coverage(list(judged_stated(folds, stated)))
    by_others = coverage(list(judged_unseen(folds, stages_of(chip), implausible)))
    lines = ["within what the preset states:", *coverage_lines(told)]
    lines += ["", "within what the other sources state:", *coverage_lines(by_others)]
    lines += ["", *(f"outlier: {j.expressed.row.file}:{j.expressed.row.number} {j.error:+.0%}" for j in odd)]
    sys.stdout.write("\n".join(lines) + "\n")
    if options.plot and told:
        plot(by_others or told, options.plot)
    if options.page:
        seen = judge(good, chip.model_copy(update={"source_errors": FrozenDict(stated)}))
        drawn = Path(relpath(options.plot, options.page.parent)) if options.plot else None
        command = f"python benchmarks/calibration/errors.py FOLDER {' '.join(sys.argv[2:])}"
        facts = Page(
            options.system_desc,
            command,
            by_class(seen),
            by_class(unseen),
            told,
            by_others,
            traces_of(seen, refused),
            odd,
            repeats(good),
            drawn,
        )
        options.page.write_text("\n".join(page(facts)) + "\n")
    path = options.write or options.check
    if path is not None:
        text = with_section(path.read_text(), "source_errors", calibration_lines(stated), SOURCE)
        write_or_check(path, text, check=path != options.write)


def _options() -> argparse.Namespace:
    parser = preset_parser(__doc__)
    parser.add_argument("--folds", type=int, default=5, help="over sources")
    parser.add_argument("--folds-over-shapes", type=int, default=3, help="of classes of one source")
    parser.add_argument("--plot", type=Path, help="an SVG file of how often rows lie within the stated errors")
    parser.add_argument("--page", type=Path, help="a page of the documentation with these tables")
    options = parser.parse_args()
    if options.plot and not find_spec("matplotlib"):
        parser.error("--plot needs matplotlib: pip install 'ttstack[plots]'")
    return options


if __name__ == "__main__":
    main()
