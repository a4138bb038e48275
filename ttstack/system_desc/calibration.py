"""How well predictions of a device agree with published measurements."""

from collections.abc import Iterable, Iterator

from pydantic import Field

from ttstack.system_desc.base import Desc, Fault
from ttstack.system_desc.quantities import Count, Nanoseconds, Ratio


class CalibrationDesc(Desc):
    """One class of measurements that figures were fitted to."""

    rows: Count = Field(ge=1, description="Measurements, count.")
    error: Ratio = Field(description="Mean of |predicted / measured - 1| of shapes that the fit had not seen, ratio.")
    bias: float = Field(description="Mean of predicted / measured - 1 of the same, ratio.")
    roofline_error: Ratio = Field(description="Mean error of the peaks of FLOPs and DRAM on the same rows, ratio.")
    least_ns: Nanoseconds = Field(description="The shortest measured time, nanoseconds.")
    most_ns: Nanoseconds = Field(description="The longest measured time, nanoseconds.")

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Times are a range."""
        return (self._range_faults(),)

    def _range_faults(self) -> Iterator[Fault]:
        if self.least_ns > self.most_ns:
            yield ("least_ns",), f"exceeds most_ns {self.most_ns:g}"
