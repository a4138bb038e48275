"""One matmul in place of several with one operand, with concatenated weights."""

from collections.abc import Sequence
from typing import Any

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.matmul import Linear, Matmul
from ttstack.ops.types import TensorType
from ttstack.passes.ttir.queries.compile_time import is_known

_BIAS = 2
"""The position of the bias among the operands of a matmul."""


def widen(product: Matmul, rows: TensorType, columns: int, *, biased: bool) -> Matmul:
    """Return the matmul of such rows with `columns` columns of weights of the same type."""
    k, t = product.mnk[2], product.b
    b, kind = t.with_shape((columns, k) if product.transpose_b else (k, columns)), {"transpose_b": product.transpose_b}
    widened = Linear.on([rows, b, t.with_shape((columns,))], kind) if biased else Matmul.on([rows, b], kind)
    assert isinstance(widened, Matmul)
    return widened


def has_bias(product: ir.Operation) -> bool:
    """Return True if it adds a bias to each row."""
    return len(product.operands) > _BIAS


def has_known_columns(product: ir.Operation, matmul: Matmul) -> bool:
    """Return True if it multiplies rows by a constant matrix and has no activation."""
    matrix = matmul.b.rank == 2 and matmul.a.rank > 1 and matmul.adds_row and not matmul.activation
    return matrix and all(is_known(v) for v in list(product.operands)[1:])


def earliest(products: Sequence[ir.Operation]) -> ir.Operation:
    """Return the first of these ops of one block."""
    first = products[0]
    for product in products:
        first = product if product.is_before_in_block(first) else first
    return first


def side_by_side(operand: ir.Value, products: Sequence[ir.Operation]) -> ir.Value:
    """Build one matmul with concatenated weights and biases, at the first of the matmuls."""
    for value in (v for product in products for v in list(product.operands)[1:]):
        hoist(value, earliest(products))
    shared = definition_of(products[0])
    assert isinstance(shared, Matmul)
    transposes: dict[str, Any] = {"transpose_a": shared.transpose_a, "transpose_b": shared.transpose_b}
    weight = ttir.concat(*[product.operands[1] for product in products], dim=0 if shared.transpose_b else 1)
    if not any(map(has_bias, products)):
        return ttir.matmul(operand, weight, **transposes)
    return ttir.linear(operand, weight, ttir.concat(*map(_row, products), dim=0), **transposes)


def hoist(value: ir.Value, before: ir.Operation) -> None:
    """Move constants before an op, as parameters are."""
    producer = defining_op(value)
    if producer is None or producer.is_before_in_block(before):
        return
    for operand in producer.operands:
        hoist(operand, before)
    producer.move_before(before)


def _row(product: ir.Operation) -> ir.Value:
    """Return the bias of a matmul, or zeros."""
    matmul = definition_of(product)
    assert isinstance(matmul, Matmul)
    columns = (matmul.mnk[1],)
    if has_bias(product):
        return reshape_to(product.operands[_BIAS], columns)
    return ttir.full(result=TensorType(columns, matmul.b.dtype), shape=columns, fill_value=0.0)
