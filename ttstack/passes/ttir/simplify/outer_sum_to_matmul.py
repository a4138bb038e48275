"""Outer sums, of a column and a row flattened to one dimension, as matmuls."""

import numpy as np

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType
from ttstack.passes.rewriting.candidates import Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import before_moves
from ttstack.passes.ttir.queries.producers import find_producer, is_shared

_PRODUCTS = ("matmul", "linear")


@rewrite("outer-sum-to-matmul", if_faster=True, stage=Stage.WEIGHTS)
def outer_sum_to_matmul(op: views.Reshape) -> ir.Value | Declined | None:
    """`reshape(column + row)` = `matmul(concat(column, row), ones)`, if the reshape merges both dimensions.

    Each column of `ones` has two ones: at the element of the column and at that of the row. Decomposed relative
    position biases by height and width have this form; the sum would use whole tiles for a row of elements.
    """
    total = find_producer(op.input, "add")
    if total is None or is_shared(op.input) or not op.result_type.dtype.is_float or is_known(op.input):
        return None
    *_, height, width = read_type(op.input.type).shape if read_type(op.input.type).rank > 1 else (1, 1)
    if min(height, width) == 1 or op.result_type.shape[-1:] != (height * width,):
        return None
    if (parts := _parts(total)) is None:
        return None
    if any(find_producer(before_moves(part)[0], *_PRODUCTS) is None for part in parts):
        return Declined("an operand is not the result of a matmul: infinite values would be multiplied by 0")
    count = op.result_type.size // (height * width)
    rows = ttir.concat(*(reshape_to(v, (count, n)) for v, n in zip(parts, (height, width), strict=True)), dim=1)
    ones = np.concatenate([np.eye(height).repeat(width, 1), np.tile(np.eye(width), height)])
    kind = TensorType(ones.shape, op.result_type.dtype)
    return reshape_to(ttir.matmul(rows, constant(ones, kind)), op.result_type.shape)


def _parts(total: ir.Operation) -> tuple[ir.Value, ir.Value] | None:
    """Return the column and the row of a sum: operands broadcast along the last and the second to last dimension."""
    *lead, height, width = read_type(total.results[0].type).shape
    first, second = total.operands
    for column, row in ((first, second), (second, first)):
        if (read_type(column.type).shape, read_type(row.type).shape) == ((*lead, height, 1), (*lead, 1, width)):
            return column, row
    return None
