"""Columns times rows as the products of matrices that they are."""

from functools import partial

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.matmul import Matmul
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.compile_time import is_known


class OuterProductToMatmul(Pass, name="outer-product-to-matmul"):
    """A column times a row, each repeated along the other, is a product of matrices where that is predicted faster.

    What multiplies elements reads a tile of both again for each of the result; a product holds them while it goes on.
    Numbers that are known before a run stay factors of elements, as angles of positions need all their bits.
    A module without a device stays as it is.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every product of elements."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [("ttir.multiply", partial(_product, prices=prices))])


def _product(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    scaled = definition_of(op)
    product = as_product(scaled)
    if product is None or any(map(is_known, op.operands)) or prices.latency_of(product) >= prices.latency_of(scaled):
        return None
    column, row = op.operands if read_type(op.operands[0].type) == product.a else reversed([*op.operands])
    return [ttir.matmul(column, row)]


def as_product(op: Op) -> Matmul | None:
    """The product of matrices that gives what a product of elements gives; None where there is none.

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
