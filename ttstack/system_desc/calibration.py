"""How well predictions of a device agree with published measurements."""

from collections.abc import Iterable, Iterator

from pydantic import Field

from ttstack.system_desc.base import Desc, Fault, Line
from ttstack.system_desc.quantities import Count, Nanoseconds, Ratio

UNMEASURED = "unmeasured"
"""The class of all that no figure was fitted to: the spread where nothing like an op was measured."""
UNSTATED = "unstated_"
"""What names of classes begin with whose measurements do not state how the op was configured."""
SHORT_NS = 10e3
"""Ops that take less are classes of their own, where enough were measured: what they take is mostly fixed."""


class CalibrationDesc(Desc):
    """One class of measurements that figures were fitted to."""

    rows: Count = Field(ge=1, description="Measurements, count.")
    error: Ratio = Field(description="Mean of |predicted / measured - 1| of shapes that the fit had not seen, ratio.")
    bias: float = Field(description="Mean of predicted / measured - 1 of the same, ratio.")
    stated: Ratio = Field(
        description="Share of the predicted time within which two of three measured ones lie, stated beside it, ratio."
    )
    low: float = Field(description="Of three measured times, two lie above this less than the predicted, ratio.")
    high: float = Field(description="And below this more, ratio.")
    roofline_error: Ratio = Field(description="Mean error of the peaks of FLOPs and DRAM on the same rows, ratio.")
    least_ns: Nanoseconds = Field(description="The shortest measured time, nanoseconds.")
    most_ns: Nanoseconds = Field(description="The longest measured time, nanoseconds.")
    boards: tuple[Line, ...] = Field(default=(), description="Boards that the rows name, as systems are named; text.")

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Times are a range."""
        return (self._range_faults(),)

    def _range_faults(self) -> Iterator[Fault]:
        if self.least_ns > self.most_ns:
            yield ("least_ns",), f"exceeds most_ns {self.most_ns:g}"
