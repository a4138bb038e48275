"""Rows judged by fits that have not seen them."""

import zlib
from collections.abc import Sequence

from judged import Judged, express_all, judge
from rows import Row
from search import fit
from stages import Stage

from ttstack.system_desc import ChipDesc


def cross_validate(rows: Sequence[Row], chip: ChipDesc, stages: Sequence[Stage], folds: int, over: str) -> list[Judged]:
    """Each row judged by a fit on the shapes, or on the sources, of the other folds.

    Of sources, a class is judged where others have rows of it too.
    """
    judged: list[Judged] = []
    for fold in range(folds):
        held = [row for row in rows if _fold(row, folds, over) == fold]
        others = [row for row in rows if _fold(row, folds, over) != fold]
        fitted = fit(others if folds > 1 else rows, chip, stages)
        good, _ = express_all(held, fitted)
        if over == "source":
            known = {row.kind for row in express_all(others, fitted)[0]}
            good = [row for row in good if row.kind in known]
        judged += judge(good, fitted)
    return judged


def _fold(row: Row, folds: int, over: str) -> int:
    return zlib.crc32((row.shape if over == "shape" else f"{row.file} {row.source}").encode()) % folds
