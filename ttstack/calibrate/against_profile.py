"""A program's predictions compared with tt-metal's profile, op by op."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttstack.calibrate.profile import match_measurements, read_profile
from ttstack.cost import call_costs, predict_calls
from ttstack.cost.sensitivity import accelerate_device
from ttstack.device.device_op import DeviceOp
from ttstack.diagnostics import InputError
from ttstack.program.launched import launched_positions
from ttstack.program.records import Binary, Function
from ttstack.report.model import OpReport
from ttstack.report.op_codes import op_code
from ttstack.report.report import Report
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.resources import Resource

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs]

_FARTHEST = 8.0
"""Maximum factor by which a resource's speed may differ from its description."""
_HALVINGS = 20


@dataclass(frozen=True)
class ProfiledOp:
    """An op of the program, predicted and measured; times are those of its kernels, without gaps."""

    index: int
    """The op's number."""
    name: str
    location: str
    predicted_ns: float
    likely_ns: tuple[float, float] | None
    """The 67 % interval of the measured time; None if its error is unknown."""
    measured_ns: float
    bound: str
    """The resource that it is predicted to wait for the most."""
    speed: float | None
    """The factor of that resource's speed that explains the measurement; None if no factor from 1/8 to 8 does."""

    @property
    def difference_ns(self) -> float:
        """The measured time minus the predicted one."""
        return self.measured_ns - self.predicted_ns

    @property
    def expected(self) -> bool:
        """Return True if the measured time is within the likely range."""
        return self.likely_ns is not None and self.likely_ns[0] <= self.measured_ns <= self.likely_ns[1]


@dataclass(frozen=True)
class ProfileComparison:
    """A report compared with a profile of the same program."""

    report: Report
    profile: str
    """Name of the file."""
    ops: tuple[ProfiledOp, ...]
    """Ops in the profile, in execution order."""
    missing: tuple[int, ...]
    """Numbers of ops that are not in the profile."""
    others: int
    """Kernels in the profile that are not of the program."""

    @property
    def predicted_ns(self) -> float:
        """Predicted time of all kernels that were measured."""
        return sum(op.predicted_ns for op in self.ops)

    @property
    def measured_ns(self) -> float:
        """Measured time of the same kernels."""
        return sum(op.measured_ns for op in self.ops)

    @property
    def longest_differences(self) -> list[ProfiledOp]:
        """The ops, largest difference first."""
        return sorted(self.ops, key=lambda op: -abs(op.difference_ns))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values; times in nanoseconds."""
        return {
            "function": self.report.function,
            "system": self.report.system,
            "profile": self.profile,
            "predicted_ns": self.predicted_ns,
            "measured_ns": self.measured_ns,
            "missing": list(self.missing),
            "others": self.others,
            "ops": [asdict(op) | {"difference_ns": op.difference_ns, "expected": op.expected} for op in self.ops],
        }

    def to_pandas(self) -> "DataFrame":
        """Return a data frame with a row for each op.

        Raises:
            OutputError: pandas is not installed.
        """
        from ttstack.report.frame import frame_of

        return frame_of(self.to_dict()["ops"])


def compare_profile(binary: Binary, function: Function, report: Report, path: Path) -> ProfileComparison:
    """Match a profile with the ops of a function, by kernel names in execution order.

    Raises:
        InputError: the file is not a profile, or none of its kernels match the function's.
    """
    chip, system = binary.chip(function), binary.system_desc
    device_ops = [function.device_op(function.operations[at]) for at in launched_positions(function)]
    calls = [[call for call, cost in call_costs(op, chip, system) if cost.cores] for op in device_ops]
    kernels = [[op_code(call) for call in of or [op]] for op, of in zip(device_ops, calls, strict=True)]
    measured = read_profile(path)
    found = match_measurements([code for codes in kernels for code in codes], measured)
    if not found:
        raise InputError(
            f"no kernel of {path} is like one of '{function.name}'", hint="profile the program itself, pass by pass"
        )
    bounds = list(pairwise(accumulate(map(len, kernels), initial=0)))
    times = [_sum_of([found.get(at) for at in range(*span)]) for span in bounds]
    ops = [
        _profiled(op, device_op, ns, chip, system)
        for op, device_op, ns in zip(report.ops, device_ops, times, strict=True)
        if ns is not None
    ]
    missing = tuple(op.index for op, ns in zip(report.ops, times, strict=True) if ns is None)
    return ProfileComparison(report, path.name, tuple(ops), missing, len(measured) - len(found))


def _sum_of(times: Sequence[float | None]) -> float | None:
    known = [ns for ns in times if ns is not None]
    return sum(known) if len(known) == len(times) else None


def _profiled(op: OpReport, device_op: DeviceOp, ns: float, chip: ChipDesc, system: SystemDesc) -> ProfiledOp:
    interval = op.confidence.interval
    likely = None if interval is None else (op.kernel_ns * max(1 + interval[0], 0.0), op.kernel_ns * (1 + interval[1]))
    speed = _speed(op.bound, device_op, ns, chip, system)
    return ProfiledOp(op.index, op.name, op.location, op.kernel_ns, likely, ns, op.bound, speed)


def _speed(bound: str, device_op: DeviceOp, measured_ns: float, chip: ChipDesc, system: SystemDesc) -> float | None:
    """Return the factor of a resource's speed that explains a measured time, by bisection of its logarithm."""
    if bound not in tuple(Resource):
        return None

    def predicted(speed: float) -> float:
        return predict_calls(device_op, *accelerate_device(chip, system, Resource(bound), speed)).total_ns

    slow, fast = 1 / _FARTHEST, _FARTHEST
    if not predicted(fast) <= measured_ns <= predicted(slow):
        return None
    for _ in range(_HALVINGS):
        middle = (slow * fast) ** 0.5
        slow, fast = (middle, fast) if predicted(middle) > measured_ns else (slow, middle)
    return (slow * fast) ** 0.5
