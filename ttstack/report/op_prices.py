"""What the cost model says of placed ops, each asked once: repeated layers share it, and versions of a program."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ttstack.cost import Confidence, Cost, call_costs, confidence, in_turn, roofline
from ttstack.cost.confidence import uncertainty_ns
from ttstack.device.device_op import DeviceOp
from ttstack.report.library_default import default_ns
from ttstack.system_desc import ChipDesc, SystemDesc


@dataclass(frozen=True)
class OpPrice:
    """All that is predicted of one op."""

    cost: Cost
    calls: Sequence[tuple[DeviceOp, Cost]]
    """What the library is called for, in order."""
    roofline_ns: float
    confidence: Confidence
    uncertainty_ns: float
    default_ns: float | None
    """What it takes as the library would run it by itself; None where that is not known."""


@dataclass(frozen=True)
class OpPrices:
    """Answers for one chip."""

    chip: ChipDesc
    system: SystemDesc
    _known: dict[DeviceOp, OpPrice] = field(default_factory=dict[DeviceOp, OpPrice])

    def of(self, device_op: DeviceOp) -> OpPrice:
        """The price of an op, of an equal one where that was asked for."""
        if device_op not in self._known:
            self._known[device_op] = self._price(device_op)
        return self._known[device_op]

    def _price(self, device_op: DeviceOp) -> OpPrice:
        calls = call_costs(device_op, self.chip, self.system)
        cost = in_turn(device_op, [of_call for _, of_call in calls], self.chip)
        return OpPrice(
            cost=cost,
            calls=calls,
            roofline_ns=roofline(device_op, self.chip),
            confidence=confidence(device_op, cost, self.chip),
            uncertainty_ns=uncertainty_ns(device_op, cost, self.chip),
            default_ns=default_ns(device_op, self.chip, self.system),
        )
