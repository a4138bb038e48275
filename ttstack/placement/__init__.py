"""Placement of tensors and ops, for a full function, without MLIR."""

from ttstack.placement.function import place
from ttstack.placement.graph import Graph, Node
from ttstack.placement.options import BUDGET_SECONDS, PlacementOptions
from ttstack.placement.plan import PlacedNode, Plan

__all__ = ["BUDGET_SECONDS", "Graph", "Node", "PlacedNode", "PlacementOptions", "Plan", "place"]
