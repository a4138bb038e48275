"""Confidence of a prediction: the measurements behind it, its extrapolation, its uncertainty."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from ttstack.cost.measured_class import measured_class, measured_keys
from ttstack.cost.prediction import Cost
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_attention, is_chain, is_eltwise, residual_of, softmax_mask
from ttstack.ops.attention import scores_of
from ttstack.ops.tile_ops import Rate, tile_op
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.calibration import UNMEASURED, UNSTATED, CalibrationDesc

_ALIKE = 2
"""Number of an op's `measured_keys` that name measurements with the same memories."""
_SKEWED = 3
"""Ratio of the sides of an interval above which both are given."""


class Trust(StrEnum):
    """Grade of a prediction by its distance from measurements."""

    MEASURED = "measured"
    """Ops of its class were measured with their tensors in the same memories, on devices like this one."""
    SIMILAR = "similar"
    """Ops of its class were measured, with tensors elsewhere or by sources that do not state how."""
    EXTRAPOLATED = "extrapolated"
    """No op like it was measured."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """The class of measurements that a prediction rests on, and how well they are predicted."""

    measured: str = ""
    """Key in the device's `calibration`; empty if it has no similar measurement."""
    group: str = ""
    """The class of ops whose predictions are wrong together."""
    error: float | None = None
    """Half width of the interval that has two thirds of the measurements, relative to the time.

    It is of similar ops, or otherwise of all classes without fitted figures; None if the device has no measurements."""
    low: float | None = None
    """Lower end of the interval below the predicted time, as a share of it: two of three measurements are inside."""
    high: float | None = None
    """Upper end of the interval, likewise."""
    beyond: tuple[str, ...] = ()
    """Properties of the op that are outside of the measured range."""
    similar: bool = False
    """True if the measured ops of its class had other memories, or did not state their configuration."""
    boards: frozenset[str] | None = None
    """Boards with measurements of a kernel of its class; None if there are none for this device."""

    @property
    def skewed(self) -> bool:
        """True if measured times are biased to one side of the predicted one."""
        low, high = self.low, self.high
        return low is not None and high is not None and low < high and max(-low, high) > _SKEWED * min(-low, high)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Shares of the predicted time by which two of three measured ones are longer at least and at most.

        Alike in both directions but where they lie to one side; None if the device has no measurements.
        """
        if self.skewed and self.low is not None and self.high is not None:
            return self.low, self.high
        return None if self.error is None else (-self.error, self.error)

    @property
    def extrapolated(self) -> bool:
        """True if the op is not similar to the measured ones, or there are none."""
        return not self.measured or bool(self.beyond)

    @property
    def trust(self) -> Trust:
        """Grade of the prediction, in one word."""
        if self.extrapolated:
            return Trust.EXTRAPOLATED
        return Trust.SIMILAR if self.similar else Trust.MEASURED


def confidence(device_op: DeviceOp, cost: Cost, chip: ChipDesc) -> Confidence:
    """Return the confidence that reports state: the error without the measurements' own source."""
    return _confidence(device_op, cost, chip, chip.source_errors or chip.calibration)


def _confidence(device_op: DeviceOp, cost: Cost, chip: ChipDesc, known: Mapping[str, CalibrationDesc]) -> Confidence:
    keys = measured_keys(device_op, cost)
    ways = (name for key in keys for name in (key, UNSTATED + key))
    key = next((name for name in ways if name in known), "")
    found = known.get(key)
    elsewhere = known.get(UNMEASURED)
    if found is None:
        return _stated("", measured_class(device_op), elsewhere, ("no such op was measured on this device",))
    alike = [known[name] for name in (keys[-1], UNSTATED + keys[-1], key) if name in known]
    differences = tuple(_differences(device_op, chip))
    beyond = (*differences, *_beyond(cost.elapsed_ns, alike))
    if beyond and elsewhere is not None and elsewhere.stated > found.stated:
        found = elsewhere
    boards = None if differences else frozenset(name for of in alike for name in of.boards)
    return replace(_stated(key, keys[-1], found, beyond), similar=key not in keys[:_ALIKE], boards=boards)


def _beyond(ns: float, alike: Iterable[CalibrationDesc]) -> Iterator[str]:
    """Yield an explanation if a time is outside of the measured times."""
    ranges = [(of.least_ns, of.most_ns) for of in alike]
    if ns < min(least for least, _ in ranges):
        yield "shorter than all measured"
    if ns > max(most for _, most in ranges):
        yield "longer than all measured"


def error_of_sum(parts: Iterable[tuple[str, float, float]]) -> float:
    """Return the expected error of a sum of times as a share of it, from each part's class, error and time.

    Errors of one class go together and add up; those of different classes are independent, and add as squares.
    """
    total, sums = 0.0, defaultdict[str, float](float)
    for group, error, time in parts:
        sums[group] += error * time
        total += time
    return math.hypot(*sums.values()) / total if total else 0.0


def _stated(key: str, group: str, found: CalibrationDesc | None, beyond: tuple[str, ...]) -> Confidence:
    if found is None:
        return Confidence(key, group, beyond=beyond)
    return Confidence(key, group, found.stated, found.low, found.high, beyond)


def _differences(device_op: DeviceOp, chip: ChipDesc) -> Iterator[str]:
    if is_attention(device_op.dispatch) and "scaled_dot_product_attention" not in device_op.op.title:
        yield "another kernel"
    attended = scores_of(device_op.op)
    if attended is not None and (attended.structure or attended.window):
        yield "attention that leaves blocks out was not measured"
    if residual_of(device_op.op) is not None:
        yield "a norm that adds a residual was not measured"
    if softmax_mask(device_op.op) is not None:
        yield "a softmax that adds a mask was not measured"
    work = device_op.dispatch.work if is_eltwise(device_op.op) else ()
    for name in sorted({op.name for op in work if tile_op(op.name).rate is Rate.FUNCTION}):
        if "ESTIMATE" in (chip.source_of(f"vector.cycles_per_tile.{name}") or ""):
            yield f"{name} was not measured"


OWN_ERROR = 0.5
"""Share of a measured class's error that one way to run an op does not share with the others."""


def uncertainty_ns(device_op: DeviceOp, cost: Cost, chip: ChipDesc) -> float:
    """Return the uncertainty of the time in nanoseconds; 0 if all tensors have ttnn's default layouts.

    The error is that of other shapes: what a source errs by as a whole is the same for all ways to run an op.
    Half of it where ops like it were measured, since ways to run an op share much of it; else all of it.
    Chains of products are kernels that ttnn has not, so nothing is a default of theirs.
    """
    by_default = all(not layout.in_l1 and not layout.sharded for layout in device_op.layouts())
    if by_default or is_chain(device_op.dispatch):
        return 0.0
    said = _confidence(device_op, cost, chip, chip.calibration)
    return cost.elapsed_ns * (said.error or 0.0) * (1.0 if said.extrapolated else OWN_ERROR)
