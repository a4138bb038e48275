"""Folding of a scalar factor of a matmul's result into its weights."""

import math

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import before_moves, move_alike
from ttstack.passes.ttir.queries.producers import factor, is_shared


@rewrite(
    "fold-scale-into-weights",
    stage=Stage.WEIGHTS,
    after={"split-sliced-matmul": "each slice then has separate weights to scale"},
)
def fold_scale_into_weights(op: views.Multiply | views.Div) -> ir.Value | None:
    """`matmul(x, w) * number` = `matmul(x, w * number)`, also through moves of rows and columns between the two.

    If both operands are results of matmuls, the weights of one of these are scaled: for attention scores, those of the
    queries. `fold-parameters` computes the new weights.
    """
    scaled = factor(op.first_result)
    if scaled is None or not math.isfinite(scaled[1]) or not op.result_type.dtype.is_float:
        return None
    return _scale(*scaled)


def _scale(value: ir.Value, number: float) -> ir.Value | None:
    """Build the value times a number from scaled weights; None if it is not a matmul, or has other uses."""
    source, moves = before_moves(value)
    op = views.Matmul.of(source) or views.Linear.of(source)
    if op is None:
        return None
    matmul = op.described
    if matmul.activation or any(is_shared(v) for v in (source, *(move.results[0] for move in moves))):
        return None
    operands = _scale_operands([*op.operation.operands], number)
    return None if operands is None else move_alike(ttir.build(matmul.mnemonic, *operands, **op.attributes), moves)


def _scale_operands(operands: list[ir.Value], number: float) -> list[ir.Value] | None:
    """Return operands that scale a matmul's result by a number; None if that needs another op."""
    a, b, *bias = operands
    if not is_shared(b) and all(map(is_known, (b, *bias))):
        return [a, *(_times(v, number) for v in (b, *bias))]
    if bias:
        return None
    for position, operand in enumerate(operands):
        if (scaled := _scale(operand, number)) is not None:
            return [*operands[:position], scaled, *operands[position + 1 :]]
    return None


def _times(value: ir.Value, number: float) -> ir.Value:
    t = read_type(value.type)
    return ttir.multiply(value, ttir.full(result=t, shape=t.shape, fill_value=number))
