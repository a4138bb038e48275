"""Embedding tables in Tensor-Train form: analysis, planning, decomposition and lookup with NumPy only.

Names are imported on first use: programs without such tables import only `shape`, their description.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttstack.tensor_train.analysis import Analysis, Spectrum, analyze
    from ttstack.tensor_train.certificate import Certificate
    from ttstack.tensor_train.decomposition import decompose
    from ttstack.tensor_train.planner import plan
    from ttstack.tensor_train.shape import TensorTrainPlan
    from ttstack.tensor_train.tensor_train import TensorTrain
    from ttstack.tensor_train.verdict import Verdict, gate

__all__ = [
    "Analysis",
    "Certificate",
    "Spectrum",
    "TensorTrain",
    "TensorTrainPlan",
    "Verdict",
    "analyze",
    "decompose",
    "gate",
    "plan",
]

_HOMES = {
    "Analysis": "analysis",
    "Certificate": "certificate",
    "Spectrum": "analysis",
    "TensorTrain": "tensor_train",
    "TensorTrainPlan": "shape",
    "Verdict": "verdict",
    "analyze": "analysis",
    "decompose": "decomposition",
    "gate": "verdict",
    "plan": "planner",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
