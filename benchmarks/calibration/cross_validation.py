"""Rows and fits that have not seen them."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
    number = _numbers(rows, folds, over)
    for fold in range(folds):
        held = [row for row in rows if number[_left_out(row, over)] == fold]
        others = [row for row in rows if number[_left_out(row, over)] != fold]
        fitted = fit(others or held, chip, stages)
        good, _ = express_all(held, fitted)
        if over == "source":
            known = {row.kind for row in express_all(others, fitted)[0]}
            good = [row for row in good if row.kind in known]
        yield Fold(good, fitted)


def folds_by_source(
    rows: Sequence[Row], chip: ChipDesc, stages: Sequence[Stage], folds: int, over_shapes: int
) -> Iterator[Fold]:
    """Folds that leave out sources; then folds that leave out shapes, of the classes that have one source."""
    seen: set[tuple[str, int]] = set()
    for fold in cross_validate(rows, chip, stages, folds, "source"):
        seen |= {row.row.place for row in fold.held}
        yield fold
    for fold in cross_validate(rows, chip, stages, over_shapes):
        yield replace(fold, held=[row for row in fold.held if row.row.place not in seen])


def _left_out(row: Row, over: str) -> str:
    return row.shape if over == "shape" else row.publication


def _numbers(rows: Sequence[Row], folds: int, over: str) -> dict[str, int]:
    """The fold of each shape, by a hash; of each source by rank, so that few classes have all sources in one fold."""
    left = sorted({_left_out(row, over) for row in rows})
    return {name: (zlib.crc32(name.encode()) if over == "shape" else i) % folds for i, name in enumerate(left)}
