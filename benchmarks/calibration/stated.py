"""What a preset says of its own errors: by class, of rows that the fit had not seen."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np
from judged import Judged
from stages import Stage

from ttstack.system_desc.calibration import UNMEASURED, CalibrationDesc

_FEWEST = 6
"""Rows of ops that are alike in more than their class; with fewer, what is said of the class holds for them."""
_WIDER = 10
"""Rows that all that is less alike counts as, beside the rows of a group."""
_CAUTION = 2
"""Rows larger than all others that a quantile allows for: the next one may be such a one."""
_FEW = 5
"""Rows below which a class says no less than the spread elsewhere."""
_LEAST = 0.01
_WITHIN = 0.60, 0.72
"""Shares of the rows that lie within what is stated, at least and at most."""
_TWICE = 0.90, 0.93, 0.96
"""Shares that lie within twice that: what these three say of the rest, on average."""


def stated_errors(judged: Sequence[Judged], stages: Sequence[Stage]) -> dict[str, CalibrationDesc]:
    """By class, and by what is alike in it; and of the classes that no stage fits anything to, which weigh the same.

    What is alike is told apart where there are enough rows of it, and others.
    """
    alike: defaultdict[str, list[Judged]] = defaultdict(list)
    for j in judged:
        for name in j.forecast.alike:
            alike[name].append(j)
    classes = {j.forecast.alike[-1] for j in judged if j.forecast.alike}
    fitted = {kind for stage in stages for kind in stage.kinds}
    left = [rows for name in sorted(classes) if (rows := [j for j in alike[name] if j.expressed.kind not in fitted])]
    even = [j for members in left for j in _spread(members, max(map(len, left)))]
    spread = _Sample.of([j.error for j in even])
    least = _stated(spread) if even else 0.0
    samples: dict[str, _Sample] = {}
    for names in {j.forecast.alike for j in judged}:
        for i in reversed(range(len(names))):
            wider = samples[names[i + 1]] if i + 1 < len(names) else None
            samples.setdefault(names[i], _Sample.of([j.error for j in alike[names[i]]], wider))
    found = {
        name: _described(members, samples[name], least if len(members) < _FEW else 0.0)
        for name, members in sorted(alike.items())
        if name in classes or (len(members) >= _FEWEST and len(members) < len(alike[_wider(members[0], name)]))
    }
    return found | ({UNMEASURED: _described(even, spread, rows=sum(map(len, left)))} if even else {})


def _wider(j: Judged, name: str) -> str:
    """The next name of what is less alike."""
    names = j.forecast.alike
    return names[names.index(name) + 1]


def calibration_lines(stated: Mapping[str, CalibrationDesc]) -> Iterator[str]:
    """A line for each class, as presets have it."""
    for name, said in stated.items():
        yield f"{name}: {{{', '.join(f'{field}: {value:.12g}' for field, value in said)}}}"


def _spread(members: Sequence[Judged], count: int) -> list[Judged]:
    """As many as `count`, each row about as often as the others."""
    return [members[i * len(members) // count] for i in range(count)]


@dataclass(frozen=True)
class _Sample:
    """Relative errors, each with a weight: those of rows that are alike, and those of a wider group as a few rows."""

    errors: np.ndarray
    weights: np.ndarray

    @staticmethod
    def of(errors: Sequence[float], wider: "_Sample | None" = None) -> "_Sample":
        """The errors, one row each, and those of the wider group."""
        own = np.array(errors)
        if wider is None:
            return _Sample(own, np.ones(len(own)))
        shrunk = wider.weights * (_WIDER / wider.weights.sum())
        return _Sample(np.concatenate([own, wider.errors]), np.concatenate([np.ones(len(own)), shrunk]))

    def quantile(self, share: float) -> float:
        """The size that so many errors do not exceed, as far as so few rows tell."""
        sizes, rows = np.abs(self.errors), self.weights.sum()
        order = np.argsort(sizes)
        weights = self.weights[order]
        reached = (np.cumsum(weights) - weights / 2) / rows
        return float(np.interp(min(share * (rows + _CAUTION) / rows, 0.99), reached, sizes[order]))

    def between(self, stated: float) -> tuple[float, float]:
        """Shares of the predicted time between which as many measured ones lie as within what is stated.

        As many are shorter as are longer, one of the rows that are larger than all on either side.
        """
        ratios, rows = 1 / (1 + self.errors) - 1, self.weights.sum()
        outside = float(self.weights[np.abs(self.errors) > stated].sum() / rows)
        order = np.argsort(ratios)
        weights = self.weights[order]
        reached = (np.cumsum(weights) - weights / 2) / rows
        tail = max((outside / 2 * (rows + _CAUTION) - _CAUTION / 2) / rows, 0.01)
        low, high = np.interp((tail, 1 - tail), reached, ratios[order])
        return float(low), float(high)


def _stated(sample: _Sample) -> float:
    twice = mean(sample.quantile(share) / 2 for share in _TWICE)
    low, high = map(sample.quantile, _WITHIN)
    return float(max(min(max(twice, low), high), _LEAST))


def _described(
    members: Sequence[Judged], sample: _Sample, least: float = 0.0, rows: int | None = None
) -> CalibrationDesc:
    errors = np.array([j.error for j in members])
    stated = max(_stated(sample), least)
    low, high = (-stated, stated) if len(members) < _FEW else sample.between(stated)
    times = [j.expressed.measured_us * 1e3 for j in members]
    return CalibrationDesc(
        rows=rows or len(members),
        error=round(float(np.abs(errors).mean()), 3),
        bias=round(float(errors.mean()), 3),
        stated=round(stated, 3),
        low=round(low, 3),
        high=round(high, 3),
        roofline_error=round(mean(abs(j.roofline_error) for j in members), 3),
        least_ns=round(min(times)),
        most_ns=round(max(times)),
    )
