"""Creation ops; random ones are drawn at compile time."""

import numpy as np

from ttstack.dialects.elements import read_elements
from ttstack.ops.base import Op
from ttstack.ops.creation import Constant, Dropout
from ttstack.ops.types import DType, storage_of
from ttstack.passes.ttir_to_linalg.movement import number_of, scale_and_add
from ttstack.passes.ttir_to_linalg.scalars import Scalar, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, full, generate, literal
from ttstack_runtime.evaluate import evaluate

LOWERINGS = LoweringTable()


@LOWERINGS("constant")
def _constant(op: Constant) -> Dense:
    storage = storage_of(op.results[0].dtype)
    return literal_or_fill(read_elements(op.value).astype(op.results[0].dtype.numpy), storage)


@LOWERINGS("rand")
def _rand(op: Op) -> Dense:
    (array,) = evaluate(op, [])
    return literal_or_fill(array, storage_of(op.results[0].dtype))


def literal_or_fill(array: np.ndarray, dtype: DType) -> Dense:
    """Return constant elements; a fill if all are equal."""
    flat = array.reshape(-1)
    if flat.size and (flat == flat[0]).all():
        return full(array.shape, flat[0].item(), dtype)
    return literal(array, dtype)


@LOWERINGS("full", "zeros", "ones", "empty")
def _full(op: Op) -> Dense:
    number = {"zeros": 0, "ones": 1, "empty": 0}.get(op.mnemonic)
    value = op.fill_value if number is None else number  # pyright: ignore[reportAttributeAccessIssue]
    return full(op.results[0].shape, value, storage_of(op.results[0].dtype))


@LOWERINGS("arange")
def _arange(op: Op) -> Dense:
    result, start, step = op.results[0], op.start, op.step  # pyright: ignore[reportAttributeAccessIssue]
    axis = op.arange_dimension % result.rank  # pyright: ignore[reportAttributeAccessIssue]
    return generate(lambda at: number_of(scale_and_add(at[axis], step, start)), result.shape, storage_of(result.dtype))


@LOWERINGS("dropout")
def _dropout(op: Dropout, x: Dense) -> Dense:
    kept = np.random.default_rng(op.seed).random(x.shape, dtype=np.float32) >= op.prob

    def body(e: Scalar, keep: Scalar) -> Scalar:
        return select(keep, e * e.like(op.scale), 0)

    return elementwise(body, [x, literal_or_fill(kept, DType.I1)], x.dtype)
