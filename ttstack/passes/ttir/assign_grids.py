"""Give every dispatch the cores that it can use."""

from ttstack.dialects.tt.layout import grid_attribute
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions, system_desc
from ttstack.passes.target import target_chip
from ttstack.passes.ttir.graph import function_graph
from ttstack.placement.shardings import flat_grid
from ttstack.program.layout import Grid


class AssignGrids(Pass, name="assign-grids"):
    """Set `tt.grid`: the smallest rectangle of workers that runs the op in as few rounds as all of them.

    Placement takes another grid where a sharding asks for it.
    """

    def run(self, module: ir.Module) -> None:
        """Set the attribute on every op."""
        desc = system_desc(module)
        for function in functions(module):
            device = Grid(*target_chip(function, desc).grid)
            found = function_graph(function)
            for node, op in zip(found.graph.nodes, found.operations, strict=True):
                op.attributes["tt.grid"] = grid_attribute(flat_grid(node.op.loops, device))
