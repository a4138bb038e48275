"""The cost model: one function that compiler, runtime and report ask about the same op record."""

from ttstack.cost.confidence import Confidence, confidence
from ttstack.cost.prediction import FREE, Cost, call_costs, in_turn, predict, predict_calls
from ttstack.cost.roofline import roofline
from ttstack.cost.terms import Combination, Term
from ttstack.device.kernel_class import is_free

__all__ = [
    "FREE",
    "Combination",
    "Confidence",
    "Cost",
    "Term",
    "call_costs",
    "confidence",
    "in_turn",
    "is_free",
    "predict",
    "predict_calls",
    "roofline",
]
