"""Layouts that parameters can have before the program starts, other than pages in DRAM."""

from collections.abc import Iterator, Mapping, Sequence

from ttstack.device.kernel_class import is_batched, is_matmul
from ttstack.device.layout import Grid, Layout, MemoryLayout
from ttstack.ops.base import Op
from ttstack.ops.loops import Access
from ttstack.placement.graph import Graph
from ttstack.placement.l1_parameters import resident
from ttstack.system_desc import ChipDesc


def starts(graph: Graph, homes: Sequence[Layout], chip: ChipDesc) -> Mapping[int, tuple[Layout, ...]]:
    """For each parameter that has a choice, the layouts that it can have instead of its home."""
    return {**resident(graph, homes, chip)} | {value: (layout,) for value, layout in _over_banks(graph, homes, chip)}


def bank_cores(chip: ChipDesc) -> Grid | None:
    """Return a rectangle with as many cores as DRAM has banks; None if the device has none.

    It stands for the cores next to the banks, wherever on the chip they are.
    """
    banks, (rows, cols) = chip.dram_banks, chip.grid
    widths = (c for c in range(min(cols, banks), 0, -1) if banks % c == 0 and banks // c <= rows)
    width = next(widths, None)
    return None if width is None else Grid(banks // width, width)


def _over_banks(graph: Graph, homes: Sequence[Layout], chip: ChipDesc) -> Iterator[tuple[int, Layout]]:
    """Weights of products that nothing else reads: each bank holds all of K for its share of N."""
    if bank_cores(chip) is None:
        return
    fixed = {*graph.pinned, *graph.outputs}
    for value in graph.parameters:
        kinds = {_kind(node.op, position) for node, position in graph.users[value]}
        kind = kinds.pop() if len(kinds) == 1 and value not in fixed else None
        if kind is not None:
            yield value, Layout(homes[value].dtype, memory_layout=kind, grid=Grid(1, chip.dram_banks))


def _kind(op: Op, position: int) -> MemoryLayout | None:
    """Return the sharding of an operand along N; None if it is not the second one of a plain matmul."""
    dispatch = op.loops
    if position != 1 or not is_matmul(dispatch) or is_batched(dispatch) or op.filter_operands:
        return None
    if dispatch.inputs[0].access is Access.WINDOW:
        return None
    columns = dispatch.inputs[1].loops[-1] == dispatch.parallel[-1]
    return MemoryLayout.WIDTH_SHARDED if columns else MemoryLayout.HEIGHT_SHARDED
