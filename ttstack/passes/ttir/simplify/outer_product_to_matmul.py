"""Outer products, of a column and a row broadcast along each other, as matmuls."""

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.matmul import Matmul
from ttstack.passes.rewriting.candidates import Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known


@rewrite("outer-product-to-matmul", if_faster=True, stage=Stage.PARALLEL)
def outer_product_to_matmul(op: views.Multiply) -> ir.Value | Declined | None:
    """`column * row` = `matmul(column, row)`: a multiply reads a tile of both again for each tile of the result.

    Compile-time constants stay elementwise factors, as position angles need full precision.
    """
    if (matmul := as_matmul(op.described)) is None:
        return None
    if any(map(is_known, op.operation.operands)):
        return Declined("an operand is a compile-time constant, whose bits a matmul would round")
    first, second = op.operation.operands
    return ttir.matmul(*((first, second) if read_type(first.type) == matmul.a else (second, first)))


def as_matmul(op: Op) -> Matmul | None:
    """Return the matmul with the result of an elementwise multiply; None if there is none.

    One operand has a column for each matrix of the result, the other a row for each, or one for all.
    """
    if op.mnemonic != "multiply" or len({(t.rank, t.dtype) for t in (*op.operands, *op.results)}) > 1:
        return None
    (first, second), (result,) = op.operands, op.results
    *batch, height, width = result.shape if result.rank > 1 else (1, 1)
    if not result.dtype.is_float or min(height, width) == 1:
        return None
    rows = (*batch, 1, width), (*(1 for _ in batch), 1, width)
    for column, row in ((first, second), (second, first)):
        if column.shape == (*batch, height, 1) and row.shape in rows:
            return Matmul(a=column, b=row)
    return None
