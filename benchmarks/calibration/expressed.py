"""A measurement beside what the cost model says about it."""

from collections.abc import Callable
from dataclasses import dataclass

from rows import Row

from ttstack.system_desc import ChipDesc


@dataclass(frozen=True)
class Forecast:
    """What the model and simpler formulas say, in microseconds, and the largest term of the time."""

    us: float
    roofline_us: float
    largest_term: str
    pm_ideal_us: float | None = None
    """tt-metal's PM IDEAL; None of what is not an op."""
    polaris_us: float | None = None
    """Compute at 60 % of its peak, memory at 80 %; None of what is not an op."""
    stated_error: float | None = None
    """The error that a report states beside such a time, as a share of it; None where it states none."""
    stated_interval: tuple[float, float] | None = None
    """By how much of the predicted time a report says the measured one may be longer, at least and at most, where that
    is more to one side; None where `stated_error` says it."""
    alike: tuple[str, ...] = ()
    """Names of the measurements that are like it, the most alike first; empty of what is not an op of ours."""


@dataclass(frozen=True)
class Expressed:
    """A row, its class, the measured time and how to predict it on a chip."""

    row: Row
    kind: str
    measured_us: float
    forecast: Callable[[ChipDesc], Forecast]
    time: Callable[[ChipDesc], float] | None = None
    """The forecast's time alone, where that takes less to find."""

    def us(self, chip: ChipDesc) -> float:
        """The predicted time in microseconds."""
        return self.time(chip) if self.time else self.forecast(chip).us
