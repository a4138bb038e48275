"""Lookups in tables in Tensor-Train form: the custom ops of `ttstack.tensor_train.torch`."""

import math

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("torch.ttstack.tensor_train_embedding", to="tensor_train_embedding")
def _embedding(call: TorchOp) -> ir.Value:
    """Look up the row of each index."""
    return ttir.tensor_train_embedding(call.tensor(0), *call.tensors(1), train=_train(call))


@CONVERSIONS("torch.ttstack.tensor_train_embedding_bag", to="tensor_train_embedding_bag")
def _embedding_bag(call: TorchOp) -> ir.Value:
    """Look up and pool rows."""
    vectors = [v for v in (call.optional(4), call.optional(5)) if v is not None]
    return ttir.tensor_train_embedding_bag(
        call.tensor(0),
        *call.tensors(1),
        *vectors,
        train=_train(call),
        mode="sum" if call.is_none(6) else call.text(6),
        include_last_offset=not call.is_none(7) and call.flag(7),
        padding_idx=-1 if call.is_none(8) else call.integer(8) % call.integer(2),
    )


def _train(call: TorchOp) -> TensorTrainType:
    """Return the train of the cores' shapes, (index, rank before, column factor times rank after)."""
    cores = [read_type(core.type) for core in call.tensors(1)]
    factors = call.integers(3)
    dtype = cores[0].dtype
    assert isinstance(dtype, DType)
    shapes = [core.shape for core in cores]
    ranks = [*(shape[1] for shape in shapes), shapes[-1][2] // factors[-1]]
    return TensorTrainType.of(call.integer(2), math.prod(factors), [s[0] for s in shapes], factors, ranks, dtype)
