"""Configured ops and their predicted times, each asked for once."""

from dataclasses import dataclass, field, replace
from typing import Any

from ttstack.cost import cheapest_matmul, predict
from ttstack.ops.base import Op
from ttstack.ops.generic import ToLayout
from ttstack.ops.types import TensorType
from ttstack.placement.shardings import flat_grid
from ttstack.program.block_config import block_config, block_configs
from ttstack.program.device_op import DeviceOp, Spread, default_fidelity
from ttstack.program.footprint import footprint
from ttstack.program.layout import Grid, Layout
from ttstack.program.matmul_config import smallest_matmul
from ttstack.program.structure import is_attention, is_contraction, is_free
from ttstack.system_desc import ChipDesc, SystemDesc

_BUDGET_STEP = 16384
"""Budgets are first rounded down to this many bytes, so that equal layers ask equal questions."""


@dataclass
class Pricing:
    """Answers for one chip."""

    chip: ChipDesc
    device: Grid
    system: SystemDesc | None = None
    """Where ops that span the mesh run; the chip alone where None."""
    _configured: dict[Any, DeviceOp | None] = field(default_factory=dict[Any, Any])
    _prices: dict[Any, float] = field(default_factory=dict[Any, float])
    _conversions: dict[TensorType, ToLayout] = field(default_factory=dict[TensorType, ToLayout])

    def configure(
        self,
        op: Op,
        operands: tuple[Layout, ...],
        results: tuple[Layout, ...],
        where: tuple[Grid, Spread],
        budget: int,
    ) -> DeviceOp | None:
        """The op with blocks whose buffers fit `budget` bytes; None where none do."""
        for rounded in (budget // _BUDGET_STEP * _BUDGET_STEP, budget):
            key = (op, operands, results, where, rounded)
            if key not in self._configured:
                self._configured[key] = self._configure(op, operands, results, where, rounded)
            if (found := self._configured[key]) is not None:
                return found
        return None

    def price(self, device_op: DeviceOp) -> float:
        """Predicted time in ns, gap included."""
        key = (device_op.op, device_op.operands, device_op.results, device_op.grid, device_op.spread)
        key = (*key, tuple(sorted(device_op.config.items())))
        if key not in self._prices:
            cost = predict(device_op, self.chip, self.system)
            self._prices[key] = cost.total_ns + cost.gap_ns
        return self._prices[key]

    def convert(self, t: TensorType, source: Layout, target: Layout, budget: int) -> DeviceOp | None:
        """The change of layout as an op."""
        op = self._conversions.setdefault(t, ToLayout(input=t))
        grid = target.grid or source.grid or flat_grid(op.loops, self.device)
        return self.configure(op, (source,), (target,), (grid, Spread.FLAT), budget)

    def smallest(self, op: Op, operands: tuple[Layout, ...], results: tuple[Layout, ...], grid: Grid) -> int:
        """Bytes of buffers that the op needs with the smallest blocks."""
        if _is_matmul(op):
            return smallest_matmul(op, operands, results[0], grid, self.chip)
        base = DeviceOp(op, operands, results, grid)
        return min(footprint(replace(base, config=c), self.chip) for c in block_configs(base, self.chip))

    def _configure(
        self,
        op: Op,
        operands: tuple[Layout, ...],
        results: tuple[Layout, ...],
        where: tuple[Grid, Spread],
        budget: int,
    ) -> DeviceOp | None:
        grid, spread = where
        fidelity = default_fidelity(*(layout.dtype for layout in operands[:2]))
        base = DeviceOp(op, operands, results, grid, spread, fidelity)
        if is_free(base):
            return base
        if _is_matmul(op):
            return cheapest_matmul(op, operands, results[0], grid, self.chip, budget, fidelity)
        config = block_config(base, self.chip, budget)
        return None if config is None else replace(base, config=config)


def _is_matmul(op: Op) -> bool:
    dispatch = op.loops
    return is_contraction(dispatch) and not is_attention(dispatch)
