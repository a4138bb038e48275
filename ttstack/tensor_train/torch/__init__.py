"""PyTorch embeddings that are trained, loaded and exported in Tensor-Train form."""

from ttstack.tensor_train.torch.checkpoints import read_checkpoint
from ttstack.tensor_train.torch.modules import TensorTrainEmbedding, TensorTrainEmbeddingBag
from ttstack.tensor_train.torch.ops import tensor_train_embedding, tensor_train_embedding_bag

__all__ = [
    "TensorTrainEmbedding",
    "TensorTrainEmbeddingBag",
    "read_checkpoint",
    "tensor_train_embedding",
    "tensor_train_embedding_bag",
]
