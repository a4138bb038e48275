"""What a preset says of its own errors: by class, of rows that the fit had not seen."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean

import numpy as np
from judged import Judged
from stages import Stage

from ttstack.system_desc.calibration import UNMEASURED, CalibrationDesc

_FEWEST = 10
"""Rows of ops that are alike in more than their class; with fewer, what is said of the class holds for them."""
_FEW = 5
"""Rows below which a class says no less than the spread elsewhere."""
_LEAST = 0.01
_WITHIN, _TWICE, _MOST = 2 / 3, 0.95, 0.78
"""Shares of the rows within what is stated, and within twice that; the first is not more than the last."""


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
    least = _stated(np.array([j.error for j in even])) if even else 0.0
    found = {
        name: _described(members, least if len(members) < _FEW else 0.0)
        for name, members in sorted(alike.items())
        if name in classes or (len(members) >= _FEWEST and len(members) < len(alike[_wider(members[0], name)]))
    }
    return found | ({UNMEASURED: _described(even, rows=sum(map(len, left)))} if even else {})


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


def _stated(errors: np.ndarray) -> float:
    sizes = np.abs(errors)
    twice = min(np.quantile(sizes, _TWICE) / 2, np.quantile(sizes, _MOST))
    return float(max(np.quantile(sizes, _WITHIN), twice, _LEAST))


def _described(members: Sequence[Judged], least: float = 0.0, rows: int | None = None) -> CalibrationDesc:
    errors = np.array([j.error for j in members])
    sizes, ratios = np.abs(errors), 1 / (1 + errors) - 1
    low, high = np.quantile(ratios, ((1 - _WITHIN) / 2, (1 + _WITHIN) / 2))
    times = [j.expressed.measured_us * 1e3 for j in members]
    return CalibrationDesc(
        rows=rows or len(members),
        error=round(float(sizes.mean()), 3),
        bias=round(float(errors.mean()), 3),
        stated=round(max(_stated(errors), least), 3),
        low=round(float(low), 3),
        high=round(float(high), 3),
        roofline_error=round(mean(abs(j.roofline_error) for j in members), 3),
        least_ns=round(min(times)),
        most_ns=round(max(times)),
    )
