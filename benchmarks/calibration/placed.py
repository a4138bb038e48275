"""Ops whose results lie like their operands."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from inexpressible import InexpressibleError
from layouts import fidelity_of, grid_of, layout_of
from rows import Row

from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.block_config import block_config
from ttstack.program.device_op import SPREADS, DeviceOp, Spread
from ttstack.program.layout import Grid, Layout
from ttstack.system_desc import ChipDesc

Maker = Callable[[Row, ChipDesc], DeviceOp | list[DeviceOp] | tuple[DeviceOp, ...]]
"""Of a row the op, those of which each is as likely, or those that follow one another."""


def like(
    row: Row,
    name: str,
    operands: Sequence[TensorType | None],
    attributes: dict[str, Any],
    chip: ChipDesc,
    *made: TensorType,
) -> DeviceOp:
    """The op on tensors that all lie as the row says, over the cores that it names.

    `made` are the results of an op that does not infer them.
    """
    op = OPS[name].on(operands, attributes, *made)
    grid = grid_of(row.grid, chip)
    text = re.split(r"[,;]", row.memory_layout)[0]
    first = (*op.operands, *op.results)[0]
    layouts = tuple(_layout(text if t.rank == first.rank else "DRAM", t, grid) for t in op.operands)
    results = tuple(_layout(text, t, grid) for t in op.results)
    laid = (*layouts, *results)[0]
    spreads = {SPREADS[laid.memory_layout], Spread.FLAT} if laid.sharded else {Spread.FLAT}
    fidelity = fidelity_of(row.fidelity, laid.dtype)
    bases = [DeviceOp(op, layouts, results, grid, spread, fidelity) for spread in sorted(spreads)]
    base = min(bases, key=lambda placed: placed.core_units * placed.core_steps)
    config = block_config(base, chip, chip.l1_usable_bytes)
    if config is None:
        raise InexpressibleError("no blocks fit L1")
    return replace(base, config=config)


def _layout(text: str, t: TensorType, grid: Grid) -> Layout:
    dtype = t.dtype if isinstance(t.dtype, DType) else DType.BF16
    return layout_of(text, dtype, grid)
