"""Placed ops and their predicted times, computed once in a process."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ttstack.cost import predict_calls
from ttstack.cost.confidence import uncertainty_ns
from ttstack.device.block_configs import block_configs
from ttstack.device.device_op import DeviceOp, Spread, default_fidelity
from ttstack.device.footprint import footprint
from ttstack.device.kernel_class import is_free, is_matmul
from ttstack.device.layout import Grid, Layout, MemoryLayout
from ttstack.device.matmul.configs import matmul_spreads, spread_configs, spreads
from ttstack.device.rules import rule_faults
from ttstack.ops.base import Op
from ttstack.ops.generic import ToLayout
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import TensorType
from ttstack.placement.grids import distinct, legal_grids
from ttstack.system_desc import ChipDesc, SystemDesc

_CHIPS = 16
"""Devices, with systems and cautions, whose predictions are kept."""
_CONVERSIONS = 8192
"""Changes of layout whose predictions are kept, 2 KiB each: a large model has about 500."""


@dataclass(frozen=True)
class Candidate:
    """One way to run an op: layouts, cores and configuration, with its price."""

    device_op: DeviceOp
    ns: float
    """Predicted, the gap to the op before included."""
    circular_buffer_bytes: int
    """Bytes of circular buffers, on each core."""
    risk_ns: float = 0.0
    """Uncertainty penalty that comparisons add."""

    @property
    def price_ns(self) -> float:
        """Return the number that placement compares: the predicted time plus its margin for uncertainty."""
        return self.ns + self.risk_ns


@dataclass(frozen=True, eq=False)
class Pricing:
    """Predictions for one chip. They depend only on these fields; caches compare objects by identity."""

    chip: ChipDesc
    system: SystemDesc | None = None
    """Mesh of ops that span several chips; None for one chip."""
    caution: float = 0.0
    """Share of a prediction's error that counts against layouts that are not the library's default."""

    @staticmethod
    def of(chip: ChipDesc, system: SystemDesc | None = None, caution: float = 0.0) -> "Pricing":
        """Return the pricing that all compilations of this process share for a device."""
        return _shared((chip, system, caution))

    @property
    def device(self) -> Grid:
        """The workers of the chip."""
        return Grid(*self.chip.grid)

    def price(self, device_op: DeviceOp) -> Candidate:
        """Return the op with its predicted cost."""
        return self._price(device_op, footprint(device_op, self.chip))

    def _price(self, device_op: DeviceOp, circular_buffer_bytes: int) -> Candidate:
        cost = predict_calls(device_op, self.chip, self.system)
        risk_ns = self.caution * uncertainty_ns(device_op, cost, self.chip) if self.caution else 0.0
        return Candidate(device_op, cost.elapsed_ns, circular_buffer_bytes, risk_ns)

    def configure(self, base: DeviceOp, grids: Iterable[Grid]) -> Iterator[DeviceOp]:
        """Return the op on each of the grids with each of its configurations; smallest buffers last for each grid."""
        for grid in grids:
            placed = replace(base, grid=grid)
            if is_free(placed):
                yield placed
                return
            configs = spread_configs if is_matmul(placed.dispatch) else block_configs
            yield from (replace(placed, config=config) for config in configs(placed, self.chip))

    def front(self, ops: Iterable[DeviceOp], l1_bytes: int | None = None) -> list[Candidate]:
        """Return the Pareto front of time and L1, the fastest first.

        Left out are those that break rules of kernels, or whose buffers exceed `l1_bytes`, all of L1 by default.
        """
        most = self.chip.l1_usable_bytes if l1_bytes is None else l1_bytes
        kept_rules = (op for op in ops if next(rule_faults(op, self.chip), None) is None)
        sized = ((op, footprint(op, self.chip)) for op in kept_rules)
        candidates = [self._price(op, nbytes) for op, nbytes in sized if nbytes <= most]
        candidates.sort(key=lambda c: (c.price_ns, c.circular_buffer_bytes, c.device_op.grid))
        kept: list[Candidate] = []
        for candidate in candidates:
            if not kept or candidate.circular_buffer_bytes < kept[-1].circular_buffer_bytes:
                kept.append(_bare(candidate))
        return kept

    def fastest(self, base: DeviceOp, grids: Iterable[Grid], l1_bytes: int | None = None) -> Candidate | None:
        """Return the first candidate on the Pareto front of an op with given layouts; None if it is empty."""
        configured = (op for spread in spreads(base) for op in self.configure(replace(base, spread=spread), grids))
        return next(iter(self.front(configured, l1_bytes)), None)

    def convert(self, t: TensorType, source: Layout, target: Layout) -> Candidate | None:
        """Return the fastest change of layout; None if its buffers exceed L1 or no op performs it."""
        return (
            None if any(_from_the_start(layout) for layout in (source, target)) else _convert(self, t, source, target)
        )

    def smallest(self, base: DeviceOp) -> int:
        """Return the minimum bytes of circular buffers over all grids and variants of the op."""
        grids, all_spreads = legal_grids(base.op, self.device), (base.spread,)
        if is_matmul(base.dispatch):
            all_spreads = matmul_spreads(base.dispatch)
        configured = (op for spread in all_spreads for op in self.configure(replace(base, spread=spread), grids))
        return min(footprint(op, self.chip) for op in configured)


@lru_cache(_CHIPS)
def _shared(fields: tuple[ChipDesc, SystemDesc | None, float]) -> Pricing:
    return Pricing(*fields)


@lru_cache(_CONVERSIONS)
def _convert(pricing: Pricing, t: TensorType, source: Layout, target: Layout) -> Candidate | None:
    op = ToLayout(input=t)
    base = place_op(op, (source,), (target,), pricing.device)
    fixed = target.grid or source.grid
    return pricing.fastest(base, [fixed] if fixed else distinct(base, legal_grids(op, pricing.device)))


def _bare(candidate: Candidate) -> Candidate:
    """Return the candidate without the op's cached intermediate results, which need more memory than the op."""
    return replace(candidate, device_op=replace(candidate.device_op))


def _from_the_start(layout: Layout) -> bool:
    """Return True if no op writes such a layout: over the banks of DRAM, or in copies on all cores."""
    return layout.memory_layout is MemoryLayout.REPLICATED or (layout.sharded and not layout.in_l1)


def place_op(op: Op, operands: tuple[Layout, ...], results: tuple[Layout, ...], grid: Grid) -> DeviceOp:
    """Return the op with these layouts, in the fidelity that multiplies their formats exactly."""
    spread = Spread.BLOCKS if isinstance(op, GroupNorm) else Spread.FLAT  # whose kernel works on shards in any case
    return DeviceOp(op, operands, results, grid, spread, default_fidelity(*(o.dtype for o in operands[:2])))
