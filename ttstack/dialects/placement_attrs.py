"""Attributes of placed ops: cores, core order, fidelity, configuration and buffers."""

from collections.abc import Sequence
from dataclasses import dataclass

from ttstack.device.device_op import Fidelity, Spread
from ttstack.device.layout import Grid
from ttstack.device.program_config import ProgramConfig, config_fields, read_config
from ttstack.dialects.python_attributes import plain_attribute, read_plain
from ttstack.dialects.tt.layout import grid_attribute, read_grid
from ttstack.mlir import ir

ADDRESS = "tt.address"
BOUND = "tt.bound_ns"
GREEDY_SAVES = "tt.greedy_saves_ns"
RECOMPUTED = "tt.recomputed_ns"
"""Predicted time of recomputed ops in a training step, and a proven bound on it if available."""
VIEW = "tt.view"
GRIDS = "tt.grids"
_GRID, _SPREAD, _FIDELITY, _CONFIG, _L1 = "tt.grid", "tt.spread", "tt.fidelity", "tt.config", "tt.circular_buffer_bytes"


@dataclass(frozen=True)
class PlacementAttrs:
    """The attributes of one placed op."""

    grid: Grid
    spread: Spread
    fidelity: Fidelity
    config: ProgramConfig | None
    circular_buffer_bytes: int
    view: bool = False


def write_grids(op: ir.Operation, grids: Sequence[Grid]) -> None:
    """Set the possible core grids of an op; the first one is its own until placement."""
    op.attributes[GRIDS] = ir.ArrayAttr.get([grid_attribute(grid) for grid in grids])
    op.attributes[_GRID] = grid_attribute(grids[0])


def read_grids(op: ir.Operation) -> tuple[Grid, ...]:
    """Read the possible core grids; none if they were not assigned."""
    return tuple(Grid(*read_grid(a)) for a in ir.ArrayAttr(op.attributes[GRIDS])) if GRIDS in op.attributes else ()


def write_placement(op: ir.Operation, placed: PlacementAttrs) -> None:
    """Set the attributes on an operation."""
    if GRIDS in op.attributes:
        del op.attributes[GRIDS]
    op.attributes[_GRID] = grid_attribute(placed.grid)
    op.attributes[_SPREAD] = ir.StringAttr.get(placed.spread)
    op.attributes[_FIDELITY] = ir.StringAttr.get(placed.fidelity)
    op.attributes[_CONFIG] = plain_attribute(config_fields(placed.config))
    op.attributes[_L1] = plain_attribute(placed.circular_buffer_bytes)
    if placed.view:
        op.attributes[VIEW] = ir.UnitAttr.get()


def read_placement(op: ir.Operation) -> PlacementAttrs:
    """Read the attributes; raise `ValueError` if the op was not placed."""
    attributes = op.attributes
    if _CONFIG not in attributes:
        raise ValueError(f"'{op.name}' has no placement; run the passes 'assign-grids' and 'place' first")
    return PlacementAttrs(
        grid=Grid(*read_grid(attributes[_GRID])),
        spread=Spread(ir.StringAttr(attributes[_SPREAD]).value),
        fidelity=Fidelity(ir.StringAttr(attributes[_FIDELITY]).value),
        config=read_config(read_plain(attributes[_CONFIG])),
        circular_buffer_bytes=ir.IntegerAttr(attributes[_L1]).value,
        view=VIEW in attributes,
    )


def view_sources(ops: Sequence[ir.Operation]) -> dict[ir.Value, ir.Value]:
    """Return the operand whose buffer each view shares, by the view's result."""
    return {op.results[0]: op.operands[0] for op in ops if VIEW in op.attributes}


def copy_placement(source: ir.Operation, target: ir.Operation) -> None:
    """Give `target` the discardable attributes of `source`."""
    for name in source.attributes:
        if name.startswith("tt."):
            target.attributes[name] = source.attributes[name]
