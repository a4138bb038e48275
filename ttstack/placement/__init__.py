"""Where tensors lie and on which cores ops run: chosen for a whole function, free of MLIR."""

from ttstack.placement.function import BUDGET_SECONDS, POLICIES, place
from ttstack.placement.graph import Graph, Node
from ttstack.placement.plan import Plan, Step
from ttstack.placement.pricing import CAUTION

__all__ = ["BUDGET_SECONDS", "CAUTION", "POLICIES", "Graph", "Node", "Plan", "Step", "place"]
