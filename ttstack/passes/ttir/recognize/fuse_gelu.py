"""Recognition of GELU, by tanh and by erf, decomposed to elementwise ops."""

import math
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from ttstack.mlir import ir
from ttstack.passes.rewriting.python_file import with_roots
from ttstack.passes.ttir.queries.producers import find_producer, with_scalar
from ttstack.patterns import pattern, read_type, scalar, ttir, views

_CUBIC = 0.044715
_SCALE = math.sqrt(2 / math.pi)


@pattern
def gelu_tanh(op: views.Multiply) -> ir.Value | None:
    """Match `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`, with outer factors in any order."""
    for factors in _factors(op):
        for half, x, bent in permutations(factors):
            if _is(half, 0.5) and _is_bent(bent, x) and read_type(x.type) == op.result_type:
                return ttir.gelu_tanh(x)
    return None


@pattern
def gelu(op: views.Multiply) -> ir.Value | None:
    """Match `0.5 * x * (1 + erf(x / sqrt(2)))` or `0.5 * x * erfc(-x / sqrt(2))`, with factors in any order."""
    for factors in _factors(op):
        for half, x, part in permutations(factors):
            if _is(half, 0.5) and _is_distributed(part, x) and read_type(x.type) == op.result_type:
                return ttir.gelu(x)
    return None


def _is_distributed(value: ir.Value, x: ir.Value) -> bool:
    """Return True for `1 + erf(x / sqrt(2))`."""
    if (erf := find_producer(_without(value, "add", 1.0), "erf")) is not None:
        return _is_times(erf.operands[0], x, math.sqrt(0.5))
    erfc = find_producer(value, "erfc")
    return erfc is not None and _is_times(erfc.operands[0], x, -math.sqrt(0.5))


def _is_times(value: ir.Value, x: ir.Value, number: float) -> bool:
    """Return True if the value is `x` times a number, rounded to its element type."""
    product = 1.0
    while value != x:
        if (step := _step(value)) is None:
            return False
        value, factor = step
        product *= factor
    return math.isclose(product, number, rel_tol=1e-3)


def _step(value: ir.Value) -> tuple[ir.Value, float] | None:
    """Return `x` and `c` if the last op of a value multiplies `x` by a number `c`."""
    op = find_producer(value, "neg", "multiply", "div")
    if op is None:
        return None
    match op.name:
        case "ttir.neg":
            return op.operands[0], -1.0
        case "ttir.multiply":
            return with_scalar(op)
        case "ttir.div":
            divisor = scalar(op.operands[1])
            return (op.operands[0], 1 / divisor) if divisor else None
    return None


def _factors(op: views.Multiply) -> Iterator[tuple[ir.Value, ir.Value, ir.Value]]:
    """Yield the three factors of a product of which one factor is a product."""
    for product, other in op.either_order:
        if inner := views.Multiply.of(product):
            yield inner.lhs, inner.rhs, other


def _is_bent(value: ir.Value, x: ir.Value) -> bool:
    """Return True for `1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))`."""
    tanh = find_producer(_without(value, "add", 1.0), "tanh")
    total = tanh and find_producer(_without(tanh.operands[0], "multiply", _SCALE), "add")
    if not total:
        return False
    return any(
        linear == x and _is_cube(_without(cubic, "multiply", _CUBIC), x)
        for linear, cubic in (total.operands, reversed(total.operands))
    )


def _is_cube(value: ir.Value | None, x: ir.Value) -> bool:
    if (power := find_producer(value, "pow")) is not None:
        return power.operands[0] == x and _is(power.operands[1], 3.0)
    product = find_producer(value, "multiply")
    return product is not None and any(
        factor == x and _is_square(square, x) for factor, square in (product.operands, reversed(product.operands))
    )


def _is_square(value: ir.Value, x: ir.Value) -> bool:
    op = find_producer(value, "multiply", "square")
    return op is not None and all(factor == x for factor in op.operands)


def _without(value: ir.Value | None, mnemonic: str, number: float) -> ir.Value | None:
    """Return the other operand of a sum or product with this number, rounded to its element type; otherwise None."""
    op = find_producer(value, mnemonic)
    if op is None or (terms := with_scalar(op)) is None:
        return None
    rounded = float(np.asarray(number, read_type(op.results[0].type).dtype.numpy))
    return terms[0] if math.isclose(terms[1], rounded, rel_tol=1e-3) else None


def _is(value: ir.Value, number: float) -> bool:
    return scalar(value) == number


PATTERNS = with_roots(gelu_tanh, gelu)
