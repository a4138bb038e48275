"""Lookups in Tensor-Train form in the device's numbers: what each product takes, and what it leaves to the next one.

Partial products are packed in the format of the cores, in which they go to the core of the chip that has the next
slice. In IEEE numbers nothing is rounded between products, and the library computes them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ttstack.device.device_op import Fidelity
from ttstack.ops.tensor_train import Contraction, TensorTrainBagLookup, TensorTrainReconstruct
from ttstack.ops.types import DType
from ttstack.tensor_train.indices import check_rows, digits
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack_runtime.kernels.embedding import embedding, embedding_bag
from ttstack_runtime.kernels.table import Array
from ttstack_runtime.lookup import move_padding
from ttstack_runtime.precision import Device

_SLICE_ELEMENTS = 1 << 22
"""Gathered at a time."""


def device_lookup(op: Contraction, rules: Device, packed: DType, fidelity: Fidelity, *operands: Array) -> Array:
    """The op's result; distinct rows are computed once, then picked as those of a dense table.

    Raises:
        TensorTrainError: an index is not a row of the table.
    """
    plan, first = op.train.plan, op.chain.first
    cores, rest = operands[first : first + plan.order], operands[first + plan.order :]
    indices = np.arange(plan.rows) if isinstance(op, TensorTrainReconstruct) else check_rows(operands[0], plan.rows)
    once, places = np.unique(indices, return_inverse=True)
    chunks = _chunks(once, max(core[0].size for core in cores))
    rows = [_rows(plan, cores, chunk, rules, packed, fidelity) for chunk in chunks]
    table = np.concatenate(rows) if rows else np.empty((0, plan.cols), np.float32)
    places = places.reshape(indices.shape)
    if not isinstance(op, TensorTrainBagLookup):
        return embedding(places, table)
    attributes: dict[str, Any] = {name: value for name, value in op.attributes().items() if name != "train"}
    offsets, weights = rest[0] if op.has_offsets else None, rest[-1] if op.has_weights else None
    return embedding_bag(places, table, offsets, weights, **move_padding(attributes, once))


def _chunks(rows: Array, elements: int) -> Iterator[Array]:
    step = max(1, _SLICE_ELEMENTS // elements)
    return (rows[start : start + step] for start in range(0, len(rows), step))


def _rows(
    plan: TensorTrainPlan, cores: Sequence[Array], rows: Array, rules: Device, packed: DType, fidelity: Fidelity
) -> Array:
    first, *others = digits(rows, plan.row_factors)
    left = cores[0][first].reshape(len(rows), -1, plan.ranks[1])
    for core, digit, rank in zip(cores[1:], others, plan.ranks[2:], strict=True):
        product = rules.multiplier_input(left, 0, fidelity) @ rules.multiplier_input(core[digit], 1, fidelity)
        left = rules.cast(product, packed).reshape(len(rows), -1, rank)
    return left.reshape(len(rows), plan.cols)
