"""The ways in which one op can be placed, given where its operands lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttstack.ops.dispatch import Map
from ttstack.ops.types import DType
from ttstack.placement.graph import Node
from ttstack.placement.shardings import flat_grid, sharded, shardings
from ttstack.program.device_op import Spread
from ttstack.program.layout import Grid, Layout, MemoryLayout, MemorySpace, storage
from ttstack.program.structure import is_contraction


@dataclass(frozen=True)
class Choice:
    """Layouts that the operands must have, layouts of the results, cores and spread."""

    operands: tuple[Layout, ...]
    results: tuple[Layout, ...]
    grid: Grid
    spread: Spread


def choices(node: Node, current: Sequence[Layout], device: Grid, wanted: DType | None, l1: bool) -> Iterator[Choice]:
    """Every placement; the first keeps all results in DRAM. `l1` admits results in L1."""
    dispatch = node.op.loops
    results = tuple(Layout(storage(t.dtype, wanted)) for t in node.op.results)
    flat = flat_grid(dispatch, device)
    operands = tuple(_operand(node, i, layout) for i, layout in enumerate(current))
    grid = device if is_contraction(dispatch) else flat
    yield Choice(operands, results, grid, Spread.FLAT)
    if not l1:
        return
    yield Choice(operands, tuple(r.interleaved(MemorySpace.L1) for r in results), grid, Spread.FLAT)
    for kind, shard, spread in shardings(node.op, dispatch, device):
        follows = tuple(
            _sharded_operand(node, i, layout, kind, shard, dispatch.inputs[i]) for i, layout in enumerate(current)
        )
        yield Choice(follows, tuple(sharded(r, kind, shard) for r in results), shard, spread)
        if any(layout.sharded for layout in follows):
            yield Choice(follows, results, shard, spread)
            yield Choice(follows, tuple(r.interleaved(MemorySpace.L1) for r in results), shard, spread)


def _operand(node: Node, position: int, layout: Layout) -> Layout:
    """What an op that runs on interleaved tensors reads: row-major for indices, tiles for all else."""
    tiled, filters = position not in node.op.host_operands, position in node.op.filter_operands
    if layout.tiled == tiled and layout.filters == filters and not layout.sharded:
        return layout
    dtype = DType.BF16 if layout.dtype.is_block and not tiled else layout.dtype
    return Layout(dtype, tiled, filters=filters)


def _sharded_operand(node: Node, position: int, layout: Layout, kind: MemoryLayout, grid: Grid, which: Map) -> Layout:
    """What an op that runs on shards reads: its own shard where it holds one, else interleaved pages."""
    plain = _operand(node, position, layout)
    if position in node.op.host_operands:
        return plain
    dispatch = node.op.loops
    whole = which.loops == dispatch.outputs[0].loops or (is_contraction(dispatch) and position == 0)
    return sharded(layout, kind, grid) if whole and layout == sharded(layout, kind, grid) else plain
