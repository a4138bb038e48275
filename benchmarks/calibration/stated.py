"""What a preset says of its own errors: by class, of rows that the fit had not seen."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import mean

import numpy as np
from judged import Judged
from stages import Stage

from ttstack.system_desc.calibration import UNMEASURED, sized

CLASSES = {
    "matmul, host_trace_avg": "matmul",
    "matmul, trisc1_cycles_trace": "matmul",
    "matmul, out of box": "matmul",
    "matmul, host_avg": "matmul",
    "matmul, height-sharded": "matmul_height_sharded",
    "matmul, new tokens": "matmul_new_tokens",
    "matmul, device_kernel": "matmul_of_models",
    "moves and copies": "moves",
}
"""Names of classes in presets that are not those of rows with an underscore for each space."""
_OPS = ("collective",)
"""Classes of ops of which simpler formulas say nothing."""
_FEWEST = 10
"""Rows that a class of short or of long ops has at least; with fewer, all are one class."""
_FEW = 5
"""Rows below which a class says no less than the spread elsewhere."""
_LEAST = 0.01
_WITHIN, _TWICE, _MOST = 2 / 3, 0.9, 0.75
"""Shares of the rows within what is stated, and within twice that; the first is not more than the last."""


def calibration_lines(judged: Sequence[Judged], stages: Sequence[Stage]) -> Iterator[str]:
    """A line for each class of ops, and one for those that no stage fits anything to, each of which weighs the same."""
    classes: defaultdict[str, list[Judged]] = defaultdict(list)
    for j in judged:
        if j.forecast.pm_ideal_us is not None or j.expressed.kind in _OPS:
            classes[_name(j)].append(j)
    fitted = {kind for stage in stages for kind in stage.kinds}
    left = [members for members in classes.values() if members[0].expressed.kind not in fitted]
    even = [j for members in left for j in _spread(members, max(map(len, left)))]
    least = _stated(np.array([j.error for j in even])) if even else 0.0
    for name, members in sorted(classes.items()):
        for key, part in _by_length(name, members):
            yield _line(key, part, least if len(part) < _FEW else 0.0)
    if even:
        yield _line(UNMEASURED, even, rows=sum(map(len, left)))


def _name(j: Judged) -> str:
    kind = j.expressed.kind
    return CLASSES.get(kind) or kind.replace(",", "").replace(" ", "_")


def _by_length(name: str, members: Sequence[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    parts: defaultdict[str, list[Judged]] = defaultdict(list)
    for j in members:
        parts[sized(name, j.forecast.us * 1e3)].append(j)
    yield from sorted(parts.items()) if min(map(len, parts.values())) >= _FEWEST else [(name, list(members))]


def _spread(members: Sequence[Judged], count: int) -> list[Judged]:
    """As many as `count`, each row about as often as the others."""
    return [members[i * len(members) // count] for i in range(count)]


def _stated(errors: np.ndarray) -> float:
    sizes = np.abs(errors)
    twice = min(np.quantile(sizes, _TWICE) / 2, np.quantile(sizes, _MOST))
    return float(max(np.quantile(sizes, _WITHIN), twice, _LEAST))


def _line(name: str, members: Sequence[Judged], least: float = 0.0, rows: int | None = None) -> str:
    errors = np.array([j.error for j in members])
    sizes, ratios = np.abs(errors), 1 / (1 + errors) - 1
    low, high = np.quantile(ratios, ((1 - _WITHIN) / 2, (1 + _WITHIN) / 2))
    times = [j.expressed.measured_us * 1e3 for j in members]
    return (
        f"{name}: {{rows: {rows or len(members)}, error: {sizes.mean():.3f}, bias: {errors.mean():.3f}, "
        f"stated: {max(_stated(errors), least):.3f}, low: {low:.3f}, high: {high:.3f}, "
        f"roofline_error: {mean(abs(j.roofline_error) for j in members):.3f}, "
        f"least_ns: {min(times):.0f}, most_ns: {max(times):.0f}}}"
    )
