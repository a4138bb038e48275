"""Recognition of sigmoid and SiLU, decomposed to elementwise ops."""

from ttstack.mlir import ir
from ttstack.passes.rewriting.python_file import with_roots
from ttstack.passes.ttir.queries.producers import find_producer, with_scalar
from ttstack.patterns import pattern, read_type, scalar, ttir, views


def sigmoid(op: ir.Operation) -> list[ir.Value] | None:
    """Match `1 / (1 + exp(-x))`."""
    inverse = op.name == "ttir.reciprocal" or scalar(op.operands[0]) == 1
    x = _exponent(list(op.operands)[-1]) if inverse else None
    return [ttir.sigmoid(x)] if x is not None and read_type(x.type) == read_type(op.results[0].type) else None


@pattern
def silu(op: views.Multiply) -> ir.Value | None:
    """Match `x * sigmoid(x)`."""
    for x, factor in op.either_order:
        if (part := views.Sigmoid.of(factor)) and part.input == x:
            return ttir.silu(x) if read_type(x.type) == op.result_type else None
    return None


@pattern
def fuse_division(op: views.Div) -> ir.Value | None:
    """Match `x / (1 + exp(-x))`."""
    exponent = _exponent(op.rhs)
    return (
        ttir.silu(exponent) if exponent and exponent == op.lhs and read_type(exponent.type) == op.result_type else None
    )


def _exponent(value: ir.Value) -> ir.Value | None:
    """Return `x` of a value `1 + exp(-x)`."""
    total = find_producer(value, "add")
    if total is None or (terms := with_scalar(total)) is None or terms[1] != 1:
        return None
    power = find_producer(terms[0], "exp")
    negative = power and find_producer(power.operands[0], "neg")
    return negative and negative.operands[0]


PATTERNS = (
    ("ttir.div", sigmoid),
    ("ttir.reciprocal", sigmoid),
    *with_roots(silu, fuse_division),
)
