"""Splits of batched matmuls whose rows are too wide for their kernel."""

import math
from collections.abc import Iterator
from functools import partial

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import MAX_VARIADIC
from ttstack.ops.types import TILE
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage

_BATCHED = 3
"""Rank of a batch of matrices."""


@rewrite("legalize-batched-matmul", to_fit=True, optional=False, stage=Stage.RECURRENCES)
def legalize_batched_matmul(op: views.Matmul) -> Iterator[Candidate]:
    """`matmul(a, b)` = `concat(matmul(slices of a, slices of b))`: the batched kernel stores full rows of the result.

    Either each matrix is multiplied separately, or slices of columns are.
    """
    a, b = read_type(op.a.type), read_type(op.b.type)
    if b.rank < _BATCHED or a.shape[:-2] != b.shape[:-2] or not op.result_type.size:
        return
    if 1 < math.prod(b.shape[:-2]) <= MAX_VARIADIC:
        yield partial(_multiply_each, op)
    columns = width = op.result_type.shape[-1]
    while width > TILE:
        width = -(-width // (2 * TILE)) * TILE
        if -(-columns // width) <= MAX_VARIADIC:
            yield partial(_multiply_columns, op, width)


def _multiply_each(op: views.Matmul) -> ir.Value:
    a, b = _batches(op)
    count, *_ = read_type(a.type).shape
    slices = ([_matrix(slice_along(x, 0, i, i + 1)) for x in (a, b)] for i in range(count))
    products = [ttir.matmul(*pair, **op.attributes) for pair in slices]
    matrices = [reshape_to(product, (1, *read_type(product.type).shape)) for product in products]
    return reshape_to(ttir.concat(*matrices, dim=0), op.result_type.shape)


def _matrix(batch: ir.Value) -> ir.Value:
    return reshape_to(batch, read_type(batch.type).shape[1:])


def _multiply_columns(op: views.Matmul, width: int) -> ir.Value:
    a, b = _batches(op)
    columns, dim = op.result_type.shape[-1], 1 if op.transpose_b else 2
    slices = (slice_along(b, dim, begin, min(begin + width, columns)) for begin in range(0, columns, width))
    products = [ttir.matmul(a, part, **op.attributes) for part in slices]
    return reshape_to(ttir.concat(*products, dim=2), op.result_type.shape)


def _batches(op: views.Matmul) -> list[ir.Value]:
    """Reshape both operands to [batch, rows, columns]."""
    shapes = (read_type(x.type).shape for x in (op.a, op.b))
    return [reshape_to(x, (math.prod(shape[:-2]), *shape[-2:])) for x, shape in zip((op.a, op.b), shapes, strict=True)]
