"""Tables of embeddings in Tensor-Train form: analysed, planned, decomposed and looked up with NumPy alone."""

from ttstack.tensor_train.analysis import Analysis, Spectrum, analyze
from ttstack.tensor_train.certificate import Certificate
from ttstack.tensor_train.decomposition import decompose
from ttstack.tensor_train.gate import Verdict, gate
from ttstack.tensor_train.planner import plan
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.tensor_train import TensorTrain

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
