"""What the cost model says about a row: the figure that was measured, of the op that the row describes."""

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from classes import maker_of, rate_of
from custom import refuse_custom
from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from placed import Maker
from rows import Row
from shapes import refuse_prose
from yardsticks import pm_ideal_ns, polaris_ns

from ttstack.cost import Cost, predict
from ttstack.cost.confidence import Confidence, confidence
from ttstack.cost.measured_class import measured_keys
from ttstack.cost.roofline import roofline
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_attention, is_contraction
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.calibration import UNMEASURED, UNSTATED

STAND_INS = ("grid sample", "unfused attention", "unfused attention of new tokens")
"""Classes of rows whose kernels are none of ours, or are not published."""
WITHOUT_BLOCKS = ("matmul, device_kernel", "matmul, host_avg", "matmul, out of box")
"""Classes of products whose rows do not state all blocks: what ttnn would choose stands for them, or the fastest."""
UNSEEN_BY_MATH = ("throttle", "skew")
"""Terms that cycle counts of the math thread leave out, beside the writing of the last block."""
_HIDDEN_US = 100.0
"""The host prepares a call in less: of calls that take longer, one after another, its time is the device's."""


@dataclass(frozen=True)
class Placed:
    """A row that is an op, or a sequence of ops: what is measured of it depends on the kind of time."""

    cases: tuple[tuple[DeviceOp, ...], ...]
    """What may have run, each as likely, where the row does not say all."""
    time_kind: str
    kind: str = ""
    """The class of the row, where that says more of what its prediction rests on than the op does."""

    def __call__(self, chip: ChipDesc) -> Forecast:
        """The prediction on a chip."""
        costs = self._costs(chip)
        ideal, pm, polaris = (
            min(sum(ns(op, chip) for op in case) for case in self.cases) / 1e3
            for ns in (roofline, pm_ideal_ns, polaris_ns)
        )
        kinds = {() if self.kind in STAND_INS else measured_keys(op, cost) for op, cost in costs[0]}
        alike = kinds.pop() if len(kinds) == 1 else ()
        if self.kind in WITHOUT_BLOCKS:
            alike = tuple(UNSTATED + name for name in alike)
        stated = self._stated(costs[0], alike, chip)
        return Forecast(self._mean_us(costs), ideal, costs[0][0][1].largest_term, pm, polaris, *stated, alike)

    def us(self, chip: ChipDesc) -> float:
        """The predicted time alone, in microseconds."""
        return self._mean_us(self._costs(chip))

    def _stated(
        self, costs: Sequence[tuple[DeviceOp, Cost]], alike: Sequence[str], chip: ChipDesc
    ) -> tuple[float | None, tuple[float, float] | None]:
        """The error that a report states, and the interval where it is skewed."""
        if self.kind in (*STAND_INS, *WITHOUT_BLOCKS):
            errors = chip.source_errors or chip.calibration
            known = (errors.get(name) for name in (*alike, UNMEASURED))
            found = next((known for known in known if known), None)
            said = Confidence() if found is None else Confidence(error=found.stated, low=found.low, high=found.high)
        elif len(costs) == 1:
            said = confidence(*costs[0], chip)
        else:
            return _error_of_all(costs, chip), None
        return said.error, said.interval if said.skewed else None

    def _costs(self, chip: ChipDesc) -> list[list[tuple[DeviceOp, Cost]]]:
        """Costs of all ops; one that stands several times is asked for once."""
        once = {id(op): predict(op, chip) for op in {id(op): op for case in self.cases for op in case}.values()}
        return [[(op, once[id(op)]) for op in case] for case in self.cases]

    def _mean_us(self, costs: Sequence[Sequence[tuple[DeviceOp, Cost]]]) -> float:
        """The mean over what may have run of what this kind of measurement sees."""
        times = [sum(_seen_ns(op, cost, self.time_kind) for op, cost in case) for case in costs]
        return statistics.fmean(times) / 1e3


def _error_of_all(costs: Sequence[tuple[DeviceOp, Cost]], chip: ChipDesc) -> float | None:
    """The errors that a report states beside ops that follow one another, weighted with their times."""
    errors = [confidence(op, cost, chip).error for op, cost in costs]
    total = sum(cost.total_ns for _, cost in costs)
    known = [error * cost.total_ns for error, (_, cost) in zip(errors, costs, strict=True) if error is not None]
    return sum(known) / total if len(known) == len(errors) and total > 0 else None


def _seen_ns(device_op: DeviceOp, cost: Cost, time_kind: str) -> float:
    """The part of the cost that a kind of measurement sees; the halo op is a kernel of its own."""
    match time_kind:
        case kind if "host" in kind:
            return cost.elapsed_ns
        case "trisc1_cycles_trace":
            product = is_contraction(device_op.dispatch) and not is_attention(device_op.dispatch)
            blocks = MatmulBlocks.of(device_op).out_blocks if product else 1
            unseen = cost.terms["tail"] / blocks + sum(cost.terms[name] for name in UNSEEN_BY_MATH)
            return cost.total_ns - unseen
        case "device_kernel" | "device_fw" | "device":
            return cost.total_ns - cost.terms.get("halo", 0.0)
        case "device_cycles_trace":
            return cost.total_ns - cost.terms["fill"]
        case _:
            return cost.total_ns


def _traced(kind: str) -> bool:
    return "trace" in kind and re.search(r"(no|without)[ _]?trace|eager", kind) is None


def express(row: Row, chip: ChipDesc) -> Expressed:
    """The row as something to predict; raises `InexpressibleError` where it is nothing of the kind."""
    if row.fault:
        raise InexpressibleError(f"no measurement of an op: {row.fault}")
    refuse_custom(row)
    if row.said.contradictions:
        raise InexpressibleError(f"the notes contradict themselves: {'; '.join(row.said.contradictions)}")
    rate = rate_of(row)
    if rate is not None:
        return rate(row)
    kind, maker = maker_of(row)
    refuse_prose(row)
    placed = Placed(_cases(row, chip, maker), row.time_kind, kind)
    if "host" in row.time_kind and not _traced(row.time_kind) and (row.time_us or 0.0) < _HIDDEN_US:
        raise InexpressibleError("a short time of the host without a trace, which depends on the host")
    measured = row.time_us
    if measured is None:
        if not row.tflops:
            raise InexpressibleError("neither a time nor a rate of FLOPs")
        measured = sum(op.op.flops() for op in placed.cases[0]) / row.tflops / 1e6
    return Expressed(row, kind, measured, placed, placed.us)


def _cases(row: Row, chip: ChipDesc, placed: Maker) -> tuple[tuple[DeviceOp, ...], ...]:
    try:
        made = placed(row, chip)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InexpressibleError(f"shape {row.shape!r} fits no such op: {error}") from error
    if isinstance(made, DeviceOp):
        return ((made,),)
    return (made,) if isinstance(made, tuple) else tuple((case,) for case in made)
