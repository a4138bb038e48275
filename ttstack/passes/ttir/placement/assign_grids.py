"""Core grids of dispatches."""

from ttstack.device.layout import Grid
from ttstack.dialects.placement_attrs import write_grids
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions, system_desc
from ttstack.passes.rewriting.function_graph import function_graph
from ttstack.passes.stages import Stage
from ttstack.passes.target import target_chip
from ttstack.placement.grids import legal_grids


class AssignGrids(Pass, name="assign-grids", stage=Stage.PLACEMENT):
    """Set `tt.grids`: the profitable core grids of each op, ttnn's default first.

    ttnn's default is also `tt.grid`, until placement chooses.
    """

    def run(self, module: ir.Module) -> None:
        """Set the attributes on every op."""
        desc = system_desc(module)
        for function in functions(module):
            device = Grid(*target_chip(function, desc).grid)
            ir_graph = function_graph(function)
            grids = {op: legal_grids(op, device) for op in dict.fromkeys(node.op for node in ir_graph.graph.nodes)}
            for node, op in zip(ir_graph.graph.nodes, ir_graph.operations, strict=True):
                write_grids(op, grids[node.op])
