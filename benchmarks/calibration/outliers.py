"""Rows whose error is implausible, compared with the rest of their class and with all classes."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from judged import Judged

_FENCE = 3.0
"""Interquartile ranges beyond a quartile from which a value is "far out" (Tukey, Exploratory Data Analysis, 1977)."""
_FEWEST = 5
"""Rows of a class, the one in question not counted, that quartiles are taken of."""
_SYSTEMATIC = 3
"""From so many far-out rows of one op and source on, the price is taken to be wrong, not the rows."""


@dataclass(frozen=True)
class _Fences:
    low: float
    high: float

    @staticmethod
    def of(judged: Sequence[Judged]) -> "_Fences":
        """The fences of rows, of whose classes each weighs the same."""
        sizes = Counter(j.kind for j in judged)
        logs, weights = zip(*((j.log_error, 1 / sizes[j.kind]) for j in judged), strict=True)
        first, third = np.quantile(logs, (0.25, 0.75), weights=weights, method="inverted_cdf")
        reach = _FENCE * (third - first)
        return _Fences(float(first - reach), float(third + reach))

    def exclude(self, value: float) -> bool:
        """Return True if the value is far out."""
        return not self.low <= value <= self.high


def outliers(seen: Sequence[Judged]) -> list[Judged]:
    """Return the rows whose predicted over measured time is far out, of the rest of their class and of all classes.

    `seen` are predictions by figures that are fitted to the rows: a row that only a fit without it misses is none.

    - The rule is Tukey's, of logarithms: more than three interquartile ranges beyond a quartile.
    - Far out of the class is not enough: in a class that is predicted within 1 %, an error of 5 % is.
    - Three far-out rows of one op and source say that its price is wrong, not the rows: these are kept.
    """
    if not seen:
        return []
    classes: defaultdict[str, list[Judged]] = defaultdict(list)
    for j in seen:
        classes[j.kind].append(j)
    everywhere = _Fences.of(seen)
    suspects = [j for j in seen if everywhere.exclude(j.log_error)]
    found = [j for j in suspects if _far_out(j, [other for other in classes[j.kind] if other is not j])]
    alike = Counter(map(_op, found))
    return [j for j in found if alike[_op(j)] < _SYSTEMATIC]


def _op(j: Judged) -> tuple[str, str]:
    return j.expressed.row.publication, j.expressed.row.op


def _far_out(j: Judged, rest: Sequence[Judged]) -> bool:
    return len(rest) >= _FEWEST and _Fences.of(rest).exclude(j.log_error)
