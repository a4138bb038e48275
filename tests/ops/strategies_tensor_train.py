"""What can be drawn for ops on tables in Tensor-Train form."""

import math

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import Draw, for_ops
from ttstack.ops import tensor_train
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, TensorType

_INDICES = st.sampled_from((DType.I32, DType.UI32, DType.I64, DType.SI32))


def _train(draw: Draw) -> TensorTrainType:
    count = draw(st.integers(2, 3))
    rows, columns = ([draw(st.integers(2, 5)) for _ in range(count)] for _ in range(2))
    sides = [r * c for r, c in zip(rows, columns, strict=True)]
    most = [min(math.prod(sides[:k]), math.prod(sides[k:])) for k in range(1, count)]
    ranks = [1, *(draw(st.integers(1, min(m, 6))) for m in most), 1]
    padding = draw(st.integers(0, rows[-1] - 1))
    element = draw(st.sampled_from((DType.F32, DType.BF16)))
    return TensorTrainType.of(math.prod(rows) - padding, math.prod(columns), rows, columns, ranks, element)


@for_ops(tensor_train.TensorTrainDecompose)
def _decompose(draw: Draw, mnemonic: str) -> Case:
    train = _train(draw)
    return Case(mnemonic, (train.table,), {"train": train})


@for_ops(tensor_train.TensorTrainReconstruct)
def _reconstruct(draw: Draw, mnemonic: str) -> Case:
    train = _train(draw)
    return Case(mnemonic, train.cores, {"train": train})


@for_ops(tensor_train.TensorTrainLookup)
def _embedding(draw: Draw, mnemonic: str) -> Case:
    train = _train(draw)
    indices = TensorType(tuple(draw(st.lists(st.integers(1, 4), max_size=3))), draw(_INDICES))
    return Case(mnemonic, (indices, *train.cores), {"train": train}, bounds={0: train.plan.rows})


@for_ops(tensor_train.TensorTrainBagLookup)
def _embedding_bag(draw: Draw, mnemonic: str) -> Case:
    train = _train(draw)
    plain, last, mode = draw(st.booleans()), draw(st.booleans()), draw(st.sampled_from(("sum", "mean", "max")))
    shape = (3, 4) if plain else (12,)
    operands = [TensorType(shape, draw(_INDICES)), *train.cores]
    offsets = len(operands)
    if not plain:
        operands.append(TensorType((draw(st.integers(2, 4)),), DType.I64))
    if mode == "sum" and draw(st.booleans()):
        operands.append(TensorType(shape, train.dtype))
    attributes = {"train": train, "mode": mode, "include_last_offset": last and not plain}
    if draw(st.booleans()):
        attributes["padding_idx"] = draw(st.integers(0, train.plan.rows - 1))
    bounds = {0: train.plan.rows, offsets: 12}
    return Case(mnemonic, tuple(operands), attributes, bounds=bounds, sorted_operands=frozenset({offsets}))
