"""Prices of placed ops, each computed once and shared by repeated layers and versions of a program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ttstack.cost import Confidence, Cost, call_costs, confidence, in_turn, roofline
from ttstack.cost.confidence import uncertainty_ns
from ttstack.cost.extrapolation import Extrapolation
from ttstack.cost.sensitivity import Sensitivity
from ttstack.device.device_op import DeviceOp
from ttstack.report.library_default import default_ns
from ttstack.system_desc import ChipDesc, SystemDesc


@dataclass(frozen=True)
class OpPrice:
    """All predictions for one op."""

    cost: Cost
    calls: Sequence[tuple[DeviceOp, Cost]]
    """Calls of the library, in order."""
    sensitivity: Mapping[str, float]
    """Share of its time that 10 % more of each resource saves; see `Sensitivity.of`."""
    roofline_ns: float
    confidence: Confidence
    uncertainty_ns: float
    default_ns: float | None
    """Time with the library's defaults; None if they are unknown."""


@dataclass(frozen=True)
class OpPrices:
    """Answers for one chip."""

    chip: ChipDesc
    system: SystemDesc
    _known: dict[DeviceOp, OpPrice] = field(default_factory=dict[DeviceOp, OpPrice])

    def of(self, device_op: DeviceOp) -> OpPrice:
        """Return the price of an op, cached by equal ops."""
        if device_op not in self._known:
            self._known[device_op] = self._price(device_op)
        return self._known[device_op]

    @cached_property
    def _sensitivity(self) -> Sensitivity:
        return Sensitivity(self.chip, self.system)

    @cached_property
    def _extrapolation(self) -> Extrapolation:
        return Extrapolation(self.chip, self.system)

    def _price(self, device_op: DeviceOp) -> OpPrice:
        calls = call_costs(device_op, self.chip, self.system)
        cost = in_turn(device_op, [of_call for _, of_call in calls], self.chip)
        return OpPrice(
            cost=cost,
            calls=calls,
            sensitivity=self._sensitivity.of(device_op, cost.elapsed_ns),
            roofline_ns=roofline(device_op, self.chip),
            confidence=self._extrapolation.apply(confidence(device_op, cost, self.chip), device_op, cost.elapsed_ns),
            uncertainty_ns=uncertainty_ns(device_op, cost, self.chip),
            default_ns=default_ns(device_op, self.chip, self.system),
        )
