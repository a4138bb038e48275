"""Numbers that products are multiplied by, as numbers that multiply their weights."""

import math

from ttstack.dialects.base import attribute_values, definition_of
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.matmul import Matmul
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import before_moves, move_alike
from ttstack.passes.ttir.queries.producers import MATMULS, factor, is_shared

_SCALED = ("ttir.multiply", "ttir.div")


class FoldScaleIntoWeights(Pass, name="fold-scale-into-weights"):
    """A number that the only reader of a product multiplies it by goes into its weights, and into its bias.

    So it does where rows and columns are only moved in between, and where both are products: scores of attention are
    scaled by what their queries are made of. What becomes of the weights is computed by `fold-parameters`.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [(name, _fold) for name in _SCALED])


def _fold(op: ir.Operation) -> list[ir.Value] | None:
    found = factor(op.results[0])
    if found is None or not math.isfinite(found[1]) or not read_type(found[0].type).dtype.is_float:
        return None
    scaled = _scaled(*found)
    return None if scaled is None else [scaled]


def _scaled(value: ir.Value, number: float) -> ir.Value | None:
    """The value times a number, of other weights; None where it is no product of weights, or is read elsewhere too."""
    source, moves = before_moves(value)
    product = pure_producer(source)
    if product is None or product.name not in MATMULS:
        return None
    matmul = definition_of(product)
    assert isinstance(matmul, Matmul)
    if matmul.activation or any(is_shared(v) for v in (source, *(move.results[0] for move in moves))):
        return None
    operands = _scaled_operands(list(product.operands), number)
    if operands is None:
        return None
    made = ttir.build(matmul.mnemonic, *operands, **attribute_values(type(matmul), product))
    return move_alike(made, moves)


def _scaled_operands(operands: list[ir.Value], number: float) -> list[ir.Value] | None:
    """Those of a product that number of times as large; None where it would take an op of its own."""
    a, b, *bias = operands
    if not is_shared(b) and all(map(is_known, (b, *bias))):
        return [a, *(_times(v, number) for v in (b, *bias))]
    if bias:
        return None
    for at, operand in enumerate(operands):
        if (scaled := _scaled(operand, number)) is not None:
            return [*operands[:at], scaled, *operands[at + 1 :]]
    return None


def _times(value: ir.Value, number: float) -> ir.Value:
    t = read_type(value.type)
    return ttir.multiply(value, ttir.full(result=t, shape=t.shape, fill_value=number))
