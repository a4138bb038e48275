"""Tables in Tensor-Train form: what `ttstack.tensor_train` computes with their cores."""

from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.tensor_train import TensorTrain, decompose
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def tensor_train_decompose(weight: Array, *, train: TensorTrainType) -> tuple[Array, ...]:
    """The cores of a dense table, at the ranks of the train."""
    return decompose(weight.reshape(weight.shape[-2:]), train.plan).cores


@KERNELS
def tensor_train_embedding(indices: Array, *cores: Array, train: TensorTrainType) -> Array:
    """The row of each index.

    Raises:
        TensorTrainError: an index is not a row of the table.
    """
    return TensorTrain(train.plan, cores).lookup(indices)


@KERNELS
def tensor_train_embedding_bag(
    indices: Array,
    *inputs: Array,
    train: TensorTrainType,
    mode: str = "sum",
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> Array:
    """Rows pooled by bag; empty bags give 0, and entries equal to `padding_idx` do not count.

    Raises:
        TensorTrainError: an index is not a row of the table, or offsets do not ascend from 0.
    """
    count = len(train.plan.row_factors)
    cores, rest = inputs[:count], inputs[count:]
    has_offsets = indices.ndim == 1
    return TensorTrain(train.plan, cores).embedding_bag(
        indices,
        rest[0] if has_offsets else None,
        mode=mode,
        per_sample_weights=rest[-1] if len(rest) > has_offsets else None,
        padding_idx=None if padding_idx == -1 else padding_idx,
        include_last_offset=include_last_offset,
    )


@KERNELS
def tensor_train_reconstruct(*cores: Array, train: TensorTrainType) -> Array:
    """The dense table."""
    return TensorTrain(train.plan, cores).to_dense()
