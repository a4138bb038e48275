"""One case of any size of each op on a table in Tensor-Train form."""

from tests.ops.case import Case
from tests.ops.sized import size_as
from ttstack.ops import tensor_train
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, TensorType

_TRAIN = TensorTrainType.of(1_000_000, 64, (100, 100, 100), (2, 1, 32), (1, 32, 32, 1), DType.BF16)


def _rows(n: int) -> TensorTrainType:
    return TensorTrainType.of(n * 32, 64, (n, 32), (2, 32), (1, 32, 1), DType.BF16)


size_as(
    {
        tensor_train.TensorTrainDecompose: lambda m, n: Case(m, (_rows(n).table,), {"train": _rows(n)}),
        tensor_train.TensorTrainReconstruct: lambda m, n: Case(m, _rows(n).cores, {"train": _rows(n)}),
        tensor_train.TensorTrainLookup: lambda m, n: Case(
            m, (TensorType((n, 4), DType.UI32), *_TRAIN.cores), {"train": _TRAIN}
        ),
        tensor_train.TensorTrainBagLookup: lambda m, n: Case(
            m, (TensorType((n, 4), DType.UI32), *_TRAIN.cores), {"train": _TRAIN}
        ),
    }
)
