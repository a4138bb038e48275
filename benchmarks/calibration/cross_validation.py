"""Rows and fits that have not seen them."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from expressed import Expressed
from judged import Judged, express_all, judge
from rows import Row
from search import fit
from stages import Stage

from ttstack.system_desc import ChipDesc


@dataclass(frozen=True)
class Fold:
    """Rows that were left out, and the chip that was fitted to the others."""

    held: list[Expressed]
    fitted: ChipDesc

    def judged(self) -> list[Judged]:
        """The rows beside the predictions of the fit."""
        return judge(self.held, self.fitted)


def cross_validate(
    rows: Sequence[Row], chip: ChipDesc, stages: Sequence[Stage], folds: int, over: str = "shape"
) -> Iterator[Fold]:
    """Folds that leave out shapes, or sources; with one fold, the fit has seen its rows.

    Of sources, a class is held against a fit that has seen others of it.
    """
    for fold in range(folds):
        held = [row for row in rows if _fold(row, folds, over) == fold]
        others = [row for row in rows if _fold(row, folds, over) != fold]
        fitted = fit(others or held, chip, stages)
        good, _ = express_all(held, fitted)
        if over == "source":
            known = {row.kind for row in express_all(others, fitted)[0]}
            good = [row for row in good if row.kind in known]
        yield Fold(good, fitted)


def _fold(row: Row, folds: int, over: str) -> int:
    return zlib.crc32((row.shape if over == "shape" else f"{row.file} {row.source}").encode()) % folds
