"""Tables in Tensor-Train form: slices of the cores by index digits, and their products."""

from math import prod

import numpy as np

from ttstack.ops.tensor_train import TensorTrainBagLookup, TensorTrainLookup, TensorTrainReconstruct
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg.checks import inside
from ttstack.passes.ttir_to_linalg.embedding import BagEntries, pool
from ttstack.passes.ttir_to_linalg.formulas import divide, remainder
from ttstack.passes.ttir_to_linalg.indexing import take
from ttstack.passes.ttir_to_linalg.matmul import product
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, literal

LOWERINGS = LoweringTable()


@LOWERINGS("tensor_train_embedding")
def _embedding(op: TensorTrainLookup, indices: Dense, *cores: Dense) -> Dense:
    found = _rows(op.train, cores, inside(indices.reshape(-1), op.train.plan.rows))
    return found.cast(op.results[0].dtype).reshape(*op.results[0].shape)


@LOWERINGS("tensor_train_embedding_bag")
def _embedding_bag(op: TensorTrainBagLookup, indices: Dense, *inputs: Dense) -> Dense:
    count = len(op.train.cores)
    cores, rest = inputs[:count], inputs[count:]
    offsets, factors = rest[0] if op.has_offsets else None, rest[-1] if op.has_weights else None
    bags = BagEntries.of(op, indices, offsets, factors, op.train.plan.rows)
    return pool(bags, _rows(op.train, cores, bags.indices), op.mode).cast(op.results[0].dtype)


@LOWERINGS("tensor_train_reconstruct")
def _reconstruct(op: TensorTrainReconstruct, *cores: Dense) -> Dense:
    every = literal(np.arange(op.train.plan.rows), DType.I64)
    return _rows(op.train, cores, every).cast(op.results[0].dtype)


def _rows(train: TensorTrainType, cores: tuple[Dense, ...], indices: Dense) -> Dense:
    """Return [count, columns] for indices in range, in the element type of products."""
    plan, count = train.plan, indices.size
    found: Dense | None = None
    for number, core in enumerate(cores):
        stride, factor = prod(plan.row_factors[number + 1 :]), plan.row_factors[number]
        digit = elementwise(
            lambda i, s=stride, n=factor: remainder(divide(i, i.like(s)), i.like(n)), [indices], DType.I64
        )
        part = take(core.wide(), digit, 0)
        whole = part if found is None else product(found, part)
        found = whole.reshape(count, -1, plan.ranks[number + 1])
    assert found is not None
    return found.reshape(count, plan.cols)
