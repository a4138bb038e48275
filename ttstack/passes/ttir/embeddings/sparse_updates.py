"""Sparse updates of tables by gradients of looked-up rows."""

from collections.abc import Iterator
from functools import partial

from ttstack.device.layout import Layout, storage
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import broadcast_to, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage

_MATRIX = 2
"""Dimensions of a table."""


@rewrite("sparse-updates", if_faster=True, stage=Stage.UPDATES)
def sparse_updates(op: views.Add, context: Context) -> Iterator[Candidate]:
    """`table + rate * embedding_backward(indices, rows)` = `scatter(table, indices, rate * rows)`, which adds rows.

    This avoids a gradient and an update of the size of the table. Tables that fit L1 are updated in full, and so are
    tables whose gradient has other uses, such as a momentum.
    """
    for table, update in op.either_order:
        scaled = views.Multiply.of(update)
        gradient = None if scaled is None else views.EmbeddingBackward.of(scaled.operation.operands[0])
        if scaled is None or gradient is None or not (scaled.is_read_once and gradient.is_read_once):
            continue
        t, rate = read_type(table.type), scaled.operation.operands[1]
        is_number = read_type(rate.type).size == 1 and read_type(rate.type).rank <= _MATRIX
        if t.rank == _MATRIX and is_number and not _fits_in_l1(table, context):
            yield partial(_scatter, table, gradient, rate)


def _fits_in_l1(table: ir.Value, context: Context) -> bool:
    """Return True if a gradient as large as the table can stay in L1 until the update."""
    assert context.prices is not None
    t, chip = read_type(table.type), context.prices.chip
    return Layout(storage(t.dtype)).nbytes(t) <= chip.num_cores * chip.l1_usable_bytes


def _scatter(table: ir.Value, gradient: views.EmbeddingBackward, rate: ir.Value) -> ir.Value:
    shape = (read_type(gradient.input.type).size, read_type(table.type).shape[1])
    index = broadcast_to(reshape_to(gradient.input, (shape[0], 1)), shape)
    source = ttir.multiply(reshape_to(gradient.in_gradient, shape), rate)
    return ttir.scatter(table, index, source, dim=0, scatter_reduce_type="sum")
