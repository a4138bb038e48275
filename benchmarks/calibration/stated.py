"""What a preset says of its own errors: by class, of rows that the fit had not seen."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np
from boards import board_names
from judged import Judged
from stages import Stage

from ttstack.system_desc.calibration import UNMEASURED, CalibrationDesc

_FEWEST = 6
"""Rows of ops that are alike in more than their class; with fewer, what is said of the class holds for them."""
_WIDER = 10
"""Rows that all that is less alike counts as, beside the rows of a group."""
_CAUTION = 1
"""Rows larger than all others that a quantile allows for, as split conformal prediction does (Lei et al. 2018)."""
_FEW = 5
"""Rows below which a class states no less than the spread of others, and an interval is even."""
_LEAST = 0.01
_WITHIN = 0.60, 0.72
"""Shares of the rows that lie within what is stated, at least and at most."""
_TWICE = 0.90, 0.93, 0.96
"""Shares that lie within twice that: what these three say of the rest, on average."""


def stated_errors(
    judged: Sequence[Judged], stages: Sequence[Stage], implausible: Collection[tuple[str, int]] = ()
) -> dict[str, CalibrationDesc]:
    """Return what is stated by class, by what is alike in it, and of ops that nothing is alike to.

    `judged` are predictions by fits that have not seen the row's source or, in classes of one source, its shape;
    rows in `implausible`, by file and number, count nowhere.

    - What is alike has an entry of its own where there are enough rows of it, and others.
    - The rows of a source count as the square root of their number: see `row_weights`.
    - A class of one source, or of fewer than five rows, states no less than the spread of the classes of several.
    - Ops that nothing is alike to have the spread of the classes that no stage fits anything to, and no less than that.
    """
    kept = [j for j in judged if j.expressed.row.place not in implausible]
    alike: defaultdict[str, list[Judged]] = defaultdict(list)
    for j in kept:
        for name in j.forecast.alike:
            alike[name].append(j)
    classes = sorted({j.forecast.alike[-1] for j in kept if j.forecast.alike})
    fitted = {kind for stage in stages for kind in stage.kinds}
    several = [alike[name] for name in classes if len({j.expressed.row.publication for j in alike[name]}) > 1]
    known = {rows[0].forecast.alike[-1] for rows in several if len(rows) >= _FEW}
    left = [rows for name in classes if (rows := [j for j in alike[name] if j.expressed.kind not in fitted])]
    common, elsewhere = _Sample.even(several), _Sample.even(left)
    spread = _stated(common) if several else 0.0
    samples: dict[str, _Sample] = {}
    for names in {j.forecast.alike for j in kept}:
        for i in reversed(range(len(names))):
            wider = samples[names[i + 1]] if i + 1 < len(names) else None
            samples.setdefault(names[i], _Sample.of(alike[names[i]], wider))
    found = {
        name: _described(members, samples[name], 0.0 if members[0].forecast.alike[-1] in known else spread)
        for name, members in sorted(alike.items())
        if name in classes or (len(members) >= _FEWEST and len(members) < len(alike[_wider(members[0], name)]))
    }
    unseen = [j for rows in left for j in rows]
    return found | ({UNMEASURED: _described(unseen, elsewhere, spread)} if unseen else {})


def row_weights(judged: Sequence[Judged]) -> np.ndarray:
    """Return the weight of each row: the rows of a source together weigh as much as the square root of their number.

    Rows of one source err together as far as its board, its release and its way to take times make them, and each
    for itself beyond. Neither share is known: wholly together, n rows would count as 1, wholly apart as n. The square
    root is the geometric mean of both.
    """
    counts = Counter(j.expressed.row.publication for j in judged)
    return np.array([counts[j.expressed.row.publication] ** -0.5 for j in judged])


def _wider(j: Judged, name: str) -> str:
    """The next name of what is less alike."""
    names = j.forecast.alike
    return names[names.index(name) + 1]


def calibration_lines(stated: Mapping[str, CalibrationDesc]) -> Iterator[str]:
    """A line for each class, as presets have it."""
    for name, said in stated.items():
        yield f"{name}: {{{', '.join(f'{field}: {_spell(value)}' for field, value in said)}}}"


def _spell(value: float | tuple[str, ...]) -> str:
    return f"[{', '.join(value)}]" if isinstance(value, tuple) else f"{value:.12g}"


@dataclass(frozen=True)
class _Sample:
    """Shares of the predicted time by which measured ones are longer, each with a weight.

    Those of rows that are alike, and those of a wider group as a few rows.
    """

    shares: np.ndarray
    weights: np.ndarray

    @staticmethod
    def of(judged: Sequence[Judged], wider: "_Sample | None" = None) -> "_Sample":
        """The shares, weighted by source, and those of the wider group."""
        own, weights = np.array([j.longer for j in judged]), row_weights(judged)
        if wider is None:
            return _Sample(own, weights)
        shrunk = wider.weights * (_WIDER / wider.weights.sum())
        return _Sample(np.concatenate([own, wider.shares]), np.concatenate([weights, shrunk]))

    @staticmethod
    def even(groups: Sequence[Sequence[Judged]]) -> "_Sample":
        """The shares of groups that weigh the same, together as much as their rows by source."""
        samples = [_Sample.of(rows) for rows in groups]
        each = sum(s.weights.sum() for s in samples) / max(len(samples), 1)
        return _Sample(
            np.concatenate([np.empty(0), *(s.shares for s in samples)]),
            np.concatenate([np.empty(0), *(s.weights * (each / s.weights.sum()) for s in samples)]),
        )

    def quantile(self, share: float) -> float:
        """The size that so many do not exceed, as far as so few rows tell."""
        sizes, rows = np.abs(self.shares), self.weights.sum()
        order = np.argsort(sizes)
        weights = self.weights[order]
        reached = (np.cumsum(weights) - weights / 2) / rows
        return float(np.interp(min(share * (rows + _CAUTION) / rows, 0.99), reached, sizes[order]))

    def between(self, stated: float) -> tuple[float, float]:
        """Shares of the predicted time between which as many measured ones lie as within what is stated.

        As many are shorter as are longer, one of the rows that are larger than all on either side.
        """
        rows = self.weights.sum()
        outside = float(self.weights[np.abs(self.shares) > stated].sum() / rows)
        order = np.argsort(self.shares)
        weights = self.weights[order]
        reached = (np.cumsum(weights) - weights / 2) / rows
        tail = max((outside / 2 * (rows + _CAUTION) - _CAUTION / 2) / rows, 0.01)
        low, high = np.interp((tail, 1 - tail), reached, self.shares[order])
        return float(low), float(high)


def _stated(sample: _Sample) -> float:
    twice = mean(sample.quantile(share) / 2 for share in _TWICE)
    low, high = map(sample.quantile, _WITHIN)
    return float(max(min(max(twice, low), high), _LEAST))


def _described(members: Sequence[Judged], sample: _Sample, least: float) -> CalibrationDesc:
    errors, own = np.array([j.error for j in members]), _stated(sample)
    stated = max(own, least)
    low, high = (-stated, stated) if len(members) < _FEW else sample.between(own)
    if stated > own:
        low, high = min(low, -stated), max(high, stated)
    times = [j.expressed.measured_us * 1e3 for j in members]
    return CalibrationDesc(
        rows=len(members),
        error=round(float(np.abs(errors).mean()), 3),
        bias=round(float(errors.mean()), 3),
        stated=round(stated, 3),
        low=round(low, 3),
        high=round(high, 3),
        roofline_error=round(mean(abs(j.roofline_error) for j in members), 3),
        least_ns=round(min(times)),
        most_ns=round(max(times)),
        boards=tuple(sorted({name for j in members for name in board_names(j.expressed.row)})),
    )
