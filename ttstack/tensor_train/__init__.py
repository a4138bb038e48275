"""Tables of embeddings in Tensor-Train form: analysed, planned, decomposed and looked up with NumPy alone."""

from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.train import TensorTrain

__all__ = ["TensorTrain", "TensorTrainPlan"]
