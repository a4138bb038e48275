"""What the cost model says about a row: the figure that was measured, of the op that the row describes."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from device import dispatch_row, dram_row, noc_row, vector_row
from eltwise import attention_row, move_row, unary_row
from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from matmul import matmul_row
from rows import Row

from ttstack.cost import Cost, predict, roofline
from ttstack.program.device_op import DeviceOp
from ttstack.system_desc import ChipDesc

UNSEEN_BY_MATH = ("tail", "throttle", "skew")
"""Terms that cycle counts of the math thread leave out."""

_OPS: tuple[tuple[str, str, Callable[[Row, ChipDesc], DeviceOp]], ...] = (
    (r"matmul", "matmul", matmul_row),
    (r"UnaryDeviceOperation:", "elementwise", unary_row),
    (r"sdpa_prefill_flash", "flash attention", attention_row),
    (r"reshard", "reshard", move_row),
    (r"interleaved_to_sharded", "interleaved to sharded", move_row),
)
_RATES: tuple[tuple[str, Callable[[Row], Expressed]], ...] = (
    (r"empty_program_dispatch", dispatch_row),
    (r"dram_(read|write)", dram_row),
    (r"noc:(dram|l1_read|l1_write|l1_local)_bw", noc_row),
    (r"SFPU:", vector_row),
)


@dataclass(frozen=True)
class Placed:
    """A row that is an op: what is measured of it depends on the kind of time."""

    device_op: DeviceOp
    time_kind: str

    def __call__(self, chip: ChipDesc) -> Forecast:
        """The prediction on a chip."""
        cost = predict(self.device_op, chip)
        seen = _seen_ns(cost, self.time_kind)
        return Forecast(seen / 1e3, roofline(self.device_op, chip) / 1e3, cost.bound)


def _seen_ns(cost: Cost, time_kind: str) -> float:
    """The part of the cost that a kind of measurement sees."""
    match time_kind:
        case "host_trace_avg":
            return cost.elapsed_ns
        case "trisc1_cycles_trace":
            return cost.total_ns - sum(cost.terms[name] for name in UNSEEN_BY_MATH)
        case "device_cycles_trace":
            return cost.total_ns - cost.terms["fill"]
        case _:
            return cost.total_ns


def express(row: Row, chip: ChipDesc) -> Expressed:
    """The row as something to predict; raises `InexpressibleError` where it is nothing of the kind."""
    for pattern, rate in _RATES:
        if re.match(pattern, row.op):
            return rate(row)
    if row.time_us is None:
        raise InexpressibleError("a rate of a whole test, not the time of an op")
    for pattern, kind, placed in _OPS:
        if re.match(pattern, row.op):
            name = f"{kind}, {row.time_kind}" if kind == "matmul" else kind
            return Expressed(row, name, row.time_us, Placed(placed(row, chip), row.time_kind))
    raise InexpressibleError(f"no op of ours is {row.op!r}")
