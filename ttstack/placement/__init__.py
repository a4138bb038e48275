"""Where tensors lie and on which cores ops run: chosen for a whole function, free of MLIR."""

from ttstack.placement.graph import Graph, Node
from ttstack.placement.plan import Plan, Step
from ttstack.placement.sweep import POLICIES, place

__all__ = ["POLICIES", "Graph", "Node", "Plan", "Step", "place"]
