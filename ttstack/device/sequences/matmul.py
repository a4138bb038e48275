"""Matmuls: none broadcasts an operand if the second is a batch."""

import math
from dataclasses import replace

import numpy as np

from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.shape import Repeat, Reshape
from ttstack.ops.types import DType


@calls_of("matmul", "linear")
def matmul(s: CallWriter) -> CallSequence | None:
    """Repeat batch operands to equal numbers of matrices; a vector is a matrix with one row."""
    a, b = (t.shape for t in s.op.operands[:2])
    if math.prod(b[:-2]) == 1:
        return None
    batch = np.broadcast_shapes(a[:-2], b[:-2])
    factors = [_repeated(s, value, batch) for value in (0, 1)]
    matrices = s.itself(s.op, *factors, *range(2, len(s.op.operands)))
    if len(a) > 1:
        return s.end(matrices)
    row = s.op.results[0].with_shape((*batch, 1, b[-1]))
    return s.end(s.call(Reshape(input=row, shape=s.op.results[0].shape), matrices, to=s.wanted))


def _repeated(s: CallWriter, value: int, batch: tuple[int, ...]) -> int:
    shape = s.type(value).shape
    padded_shape = (*(1,) * (len(batch) + 2 - len(shape)), *shape)
    times = [count // extent for count, extent in zip(batch, padded_shape, strict=False)]
    x = s.reshape(value, padded_shape)
    return x if set(times) <= {1} else s.call(Repeat(input=s.type(x), repeat_dimensions=(*times, 1, 1)), x)


@calls_of("sparse_matmul")
def sparse_matmul(s: CallWriter) -> CallSequence | None:
    """Cast the sparsity mask to bf16, a row for each row of blocks."""
    used, (rows, columns) = 2, s.op.sparsity.shape[-2:]
    used = s.cast(used, DType.BF16)
    if s.op.is_input_a_sparse and s.op.sparsity.shape != (1, 1, rows, columns):
        count = s.op.b.shape[1]
        used = s.reshape(used, [1, 1, s.op.sparsity.size // count, count], to=s.layout(used))
    own = s.op if s.type(used) == s.op.sparsity else replace(s.op, sparsity=s.type(used))
    return s.end(s.itself(own, 0, 1, used))
