"""Agreement of a device's predictions with published measurements."""

from collections.abc import Iterable, Iterator

from pydantic import Field

from ttstack.system_desc.base import Desc, Fault, Line
from ttstack.system_desc.quantities import Count, Nanoseconds, Ratio

UNMEASURED = "unmeasured"
"""The class of ops without fitted figures: the spread for ops without similar measurements."""
UNSTATED = "unstated_"
"""Prefix of class names whose measurements do not state the op's configuration."""
SHORT_NS = 10e3
"""Shorter ops form separate classes, if there are enough measurements: their time is mostly constant."""


class CalibrationDesc(Desc):
    """One class of measurements that figures were fitted to."""

    rows: Count = Field(ge=1, description="Number of measurements, count.")
    error: Ratio = Field(description="Mean of |predicted / measured - 1| over shapes outside of the fit, ratio.")
    bias: float = Field(description="Mean of predicted / measured - 1 over the same shapes, ratio.")
    stated: Ratio = Field(
        description=(
            "Half width of the interval that has two thirds of the measured times, relative to the "
            "predicted time, ratio."
        )
    )
    low: float = Field(
        description=(
            "Distance of the interval's lower end below the predicted time, relative to the predicted time, ratio."
        )
    )
    high: float = Field(
        description=(
            "Distance of the interval's upper end above the predicted time, relative to the predicted time, ratio."
        )
    )
    roofline_error: Ratio = Field(
        description="Mean error of a roofline of peak FLOPs and DRAM bandwidth on the same rows, ratio."
    )
    least_ns: Nanoseconds = Field(description="The shortest measured time, nanoseconds.")
    most_ns: Nanoseconds = Field(description="The longest measured time, nanoseconds.")
    boards: tuple[Line, ...] = Field(default=(), description="Boards of the measurements, with system names; text.")

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Times are a range."""
        return (self._range_faults(),)

    def _range_faults(self) -> Iterator[Fault]:
        if self.least_ns > self.most_ns:
            yield ("least_ns",), f"exceeds most_ns {self.most_ns:g}"
