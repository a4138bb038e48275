"""How good predictions are: figures of a group of rows."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from judged import Judged, Refused


@dataclass(frozen=True)
class Figures:
    """Errors are relative to the measured times; sums are in microseconds, each row as often as its op was called."""

    rows: int
    sources: int
    """Publications that the rows are from."""
    refused: int
    mean: float | None
    median: float | None
    bias: float | None
    p95: float | None
    """95th percentile of the absolute error."""
    worst: float | None
    roofline: float | None
    """Mean absolute error of the roofline, and of other formulas; None where they say nothing."""
    pm_ideal: float | None
    polaris: float | None
    predicted_us: float
    measured_us: float
    absolute_error_us: float
    """Sum of the absolute errors of the rows."""
    refused_us: float
    custom_us: float
    """The part of `refused_us` that custom kernels took."""
    stated: int
    """Rows with a stated error."""
    within: int
    """Rows whose measured time lies within it."""

    @property
    def expressed_share(self) -> float | None:
        """Share of the measured time that has a prediction; None where no time was measured."""
        whole = self.measured_us + self.refused_us
        return self.measured_us / whole if whole else None

    @property
    def expressed_share_of_ours(self) -> float | None:
        """The same without the time of custom kernels."""
        whole = self.measured_us + self.refused_us - self.custom_us
        return self.measured_us / whole if whole else None

    @property
    def sum_error(self) -> float | None:
        """Relative error of the sum, of the rows that have a prediction."""
        return self.predicted_us / self.measured_us - 1 if self.measured_us else None

    @property
    def within_share(self) -> float | None:
        """Share of the rows with a stated error whose measured time lies within it."""
        return self.within / self.stated if self.stated else None


def figures(judged: Sequence[Judged], refused: Sequence[Refused] = ()) -> Figures:
    """The figures of a group of rows."""
    errors = [j.error for j in judged]
    sizes = sorted(map(abs, errors))
    measured = [j.expressed.measured_us * j.calls for j in judged]
    return Figures(
        rows=len(judged),
        sources=len({j.expressed.row.publication for j in judged}),
        refused=len(refused),
        mean=statistics.mean(sizes) if sizes else None,
        median=statistics.median(sizes) if sizes else None,
        bias=statistics.mean(errors) if errors else None,
        p95=sizes[math.ceil(0.95 * len(sizes)) - 1] if sizes else None,
        worst=max(errors, key=abs, default=None),
        roofline=_formula(judged, "roofline_us"),
        pm_ideal=_formula(judged, "pm_ideal_us"),
        polaris=_formula(judged, "polaris_us"),
        predicted_us=sum(j.forecast.us * j.calls for j in judged),
        measured_us=sum(measured),
        absolute_error_us=sum(size * us for size, us in zip(map(abs, errors), measured, strict=True)),
        refused_us=sum(r.measured_us for r in refused),
        custom_us=sum(r.measured_us for r in refused if r.custom),
        stated=sum(j.within is not None for j in judged),
        within=sum(j.within is True for j in judged),
    )


def _formula(judged: Sequence[Judged], name: str) -> float | None:
    """Mean absolute error of a simpler formula."""
    said = [(getattr(j.forecast, name), j.expressed.measured_us) for j in judged]
    errors = [abs(us / measured - 1) for us, measured in said if us is not None]
    return statistics.mean(errors) if errors else None


def by_class(judged: Sequence[Judged], refused: Sequence[Refused] = ()) -> dict[str, Figures]:
    """Figures by class; rows without a prediction count where the name of their op belongs."""
    return _grouped(judged, refused, lambda j: j.kind, lambda r: r.kind)


def sum_of_class_errors(classes: Iterable[Figures]) -> float:
    """Microseconds by which the sums of the classes are off, too long or too short."""
    return sum(abs(f.predicted_us - f.measured_us) for f in classes)


def by_source(judged: Sequence[Judged], refused: Sequence[Refused] = ()) -> dict[str, Figures]:
    """Figures by file and source."""
    return _grouped(
        judged,
        refused,
        lambda j: f"{j.expressed.row.file}: {j.expressed.row.source}",
        lambda r: f"{r.row.file}: {r.row.source}",
    )


def _grouped(
    judged: Sequence[Judged], refused: Sequence[Refused], of: Callable[[Judged], str], left: Callable[[Refused], str]
) -> dict[str, Figures]:
    groups: dict[str, tuple[list[Judged], list[Refused]]] = defaultdict(lambda: ([], []))
    for j in judged:
        groups[of(j)][0].append(j)
    for r in refused:
        groups[left(r)][1].append(r)
    return {name: figures(*members) for name, members in groups.items()}
