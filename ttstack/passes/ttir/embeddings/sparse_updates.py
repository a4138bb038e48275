"""Updates of tables by gradients of the rows that were looked up."""

from functools import partial

from ttstack.device.layout import Layout, storage
from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import broadcast_to, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import Scatter
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices

_MATRIX = 2
"""Dimensions of a table."""


class SparseUpdates(Pass, name="sparse-updates"):
    """`table + rate * gradient`, of rows that were looked up, is a scatter that adds to these rows of the table.

    There is then neither a gradient nor an update as large as the table. It is done where that is predicted to take
    less time, the table is larger than L1, and nothing else needs the gradient, as a momentum does.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every such sum; a module without a device stays as it is."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [("ttir.add", partial(_scatter, prices=prices))])


def _scatter(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    for table, update in (tuple(op.operands), tuple(op.operands)[::-1]):
        scaled = _read_once(update, "ttir.multiply")
        gradient = None if scaled is None else _read_once(scaled.operands[0], "ttir.embedding_backward")
        t = read_type(table.type)
        if scaled is None or gradient is None or t.rank != _MATRIX or _fits_in_l1(t, prices):
            continue
        rate, (indices, _, added) = scaled.operands[1], gradient.operands
        rows, picked = t.with_shape((read_type(indices.type).size, t.shape[1])), read_type(indices.type)
        if read_type(rate.type).size != 1 or read_type(rate.type).rank > rows.rank:
            continue
        put = Scatter(input=t, index=rows.with_dtype(picked.dtype), source=rows, dim=0, scatter_reduce_type="sum")
        dense = [definition_of(made) for made in (gradient, scaled, op)]
        if prices.latency_of(put) < prices.sum_of([made for made in dense if made is not None]):
            index = broadcast_to(reshape_to(indices, (rows.shape[0], 1)), rows.shape)
            source = ttir.multiply(reshape_to(added, rows.shape), rate)
            return [ttir.scatter(table, index, source, dim=0, scatter_reduce_type="sum")]
    return None


def _fits_in_l1(t: TensorType, prices: Prices) -> bool:
    """Whether a gradient as large as the table can stay there until the update is made."""
    return Layout(storage(t.dtype)).nbytes(t) <= prices.chip.num_cores * prices.chip.l1_usable_bytes


def _read_once(value: ir.Value, name: str) -> ir.Operation | None:
    """The op of that name that makes a value, where one alone reads it."""
    return defining_op(value, name) if len(list(value.uses)) == 1 else None
