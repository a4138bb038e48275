"""Ops whose tensors lie as the row says of each of them, or of all."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inexpressible import InexpressibleError
from layouts import fidelity_of, fitting, layout_of, published, shards_of, stated_layouts, workers_of
from rows import Row

from ttstack.device.device_op import SPREADS, DeviceOp, Spread
from ttstack.device.layout import Grid, Layout
from ttstack.device.sequences import call_sequence
from ttstack.ops import OPS
from ttstack.ops.base import Op
from ttstack.ops.types import DType, TensorType
from ttstack.placement.pricing import Pricing
from ttstack.system_desc import ChipDesc

_AS_IT_RAN = 2**62
"""Bytes of L1 for what takes several calls today, whose tensors between them the kernel of a row did not have."""
Maker = Callable[[Row, ChipDesc], DeviceOp | list[DeviceOp] | tuple[DeviceOp, ...]]
"""Makes the op of a row, those of which each is as likely, or those that follow one another."""


def like(
    row: Row,
    name: str,
    operands: Sequence[TensorType | None],
    attributes: dict[str, Any],
    chip: ChipDesc,
    *made: TensorType,
) -> DeviceOp:
    """The op on tensors that lie as the row says, over the cores that it names.

    What it does not say of a tensor is as of the first, of tensors of another rank DRAM. `made` are the results of an
    op that does not infer them.
    """
    op = OPS[name].on(operands, attributes, *made)
    first = (*op.operands, *op.results)[0]
    layouts = tuple(_layouts(row, op, fitting(row, first, shards_of(row, chip), chip)))
    count = len(op.operands)
    sharded = next((x for x in (*layouts[count:], *layouts[:count]) if x.sharded and x.in_l1), None)
    grid = workers_of(row, chip) if sharded is None or sharded.grid is None else sharded.grid
    spreads = {Spread.FLAT} if sharded is None else {SPREADS[sharded.memory_layout], Spread.FLAT}
    if sharded is not None and _stays(op, layouts):
        spreads = {SPREADS[sharded.memory_layout]}
    fidelity = fidelity_of(row.fidelity, layouts[0].dtype)
    bases = [DeviceOp(op, layouts[:count], layouts[count:], grid, spread, fidelity) for spread in sorted(spreads)]
    base = min(bases, key=lambda placed: placed.core_units * placed.core_steps)
    several = call_sequence(base, chip) is not None
    placed = Pricing(chip).fastest(base, [grid], _AS_IT_RAN if several else None)
    if placed is None:
        raise InexpressibleError("no blocks fit L1")
    return placed.device_op


def _stays(op: Op, layouts: Sequence[Layout]) -> bool:
    """Whether cores work on the shards that they hold: all alike, and all full where there are several operands."""
    first, t = layouts[0], op.operands[0]
    if any((x.memory_layout, x.grid) != (first.memory_layout, first.grid) for x in layouts) or not first.in_l1:
        return False
    pairs = zip(first.matrix(t), first.shard(t), strict=True)
    return len(op.operands) == 1 or all(extent % held == 0 for extent, held in pairs)


def _layouts(row: Row, op: Op, grid: Grid) -> Iterator[Layout]:
    """Layouts of operands, then results."""
    stated = stated_layouts(row.memory_layout)
    first = (*op.operands, *op.results)[0]
    everywhere = stated.get("in0", "") if stated else re.split(r"[,;]", row.memory_layout)[0]
    for i, t in enumerate(op.operands):
        yield _layout(stated.get(f"in{i}", everywhere if t.rank == first.rank else "DRAM"), t, grid)
    for t in op.results:
        yield _layout(stated.get("out", everywhere), t, grid)


def _layout(text: str, t: TensorType, grid: Grid) -> Layout:
    dtype = t.dtype if isinstance(t.dtype, DType) else DType.BF16
    return layout_of(published(text, t.size * dtype.row_major_bytes), dtype, grid)
