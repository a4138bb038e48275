"""Elementwise StableHLO ops on complex numbers, as ops on their real and imaginary parts.

Formulas are the principal values of Abramowitz and Stegun, chapter 4, in forms whose exponentials do not overflow where
the result is finite.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ttstack.mlir import ir


class Parts(NamedTuple):
    """The real and the imaginary parts of a complex tensor."""

    re: ir.Value
    im: ir.Value


def create(
    name: str, operands: Sequence[ir.Value], result: ir.Type, attributes: Mapping[str, ir.Attribute] | None = None
) -> ir.Value:
    """Build a StableHLO op of one result."""
    given = dict(attributes or {})
    return ir.Operation.create(f"stablehlo.{name}", [result], list(operands), given).results[0]


def apply(name: str, *operands: ir.Value) -> ir.Value:
    """Build an elementwise StableHLO op whose result has the type of its first operand."""
    return create(name, operands, operands[0].type)


def splat(number: float, like: ir.Value) -> ir.Value:
    """Build a constant of the type of a value, with equal elements."""
    t = ir.RankedTensorType(like.type)
    value = ir.DenseElementsAttr.get_splat(t, ir.FloatAttr.get(t.element_type, number))
    return create("constant", [], t, {"value": value})


def compare(direction: str, x: ir.Value, y: ir.Value) -> ir.Value:
    """Build a comparison of real tensors."""
    t = ir.RankedTensorType.get(ir.RankedTensorType(x.type).shape, ir.IntegerType.get_signless(1))
    attribute = ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>")
    return create("compare", [x, y], t, {"comparison_direction": attribute})


def _select(condition: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    return create("select", [condition, x, y], x.type)


def scale(x: Parts, factor: ir.Value) -> Parts:
    """Multiply by a real tensor."""
    return Parts(apply("multiply", x.re, factor), apply("multiply", x.im, factor))


def multiply(x: Parts, y: Parts) -> Parts:
    """`(a + b i) (c + d i)`."""
    re = apply("subtract", apply("multiply", x.re, y.re), apply("multiply", x.im, y.im))
    return Parts(re, apply("add", apply("multiply", x.re, y.im), apply("multiply", x.im, y.re)))


def _add(x: Parts, y: Parts) -> Parts:
    return Parts(apply("add", x.re, y.re), apply("add", x.im, y.im))


def _offset(x: Parts, number: float) -> Parts:
    return Parts(apply("add", x.re, splat(number, x.re)), x.im)


def divide(x: Parts, y: Parts) -> Parts:
    """`x conj(y) / |y|^2`, with `y` divided by its larger part first."""
    larger = apply("maximum", apply("abs", y.re), apply("abs", y.im))
    unit = Parts(apply("divide", y.re, larger), apply("divide", y.im, larger))
    norm = apply("add", apply("multiply", y.re, unit.re), apply("multiply", y.im, unit.im))
    product = multiply(x, Parts(unit.re, apply("negate", unit.im)))
    return Parts(apply("divide", product.re, norm), apply("divide", product.im, norm))


def absolute(x: Parts) -> ir.Value:
    """`sqrt(a^2 + b^2)`."""
    return apply("sqrt", apply("add", apply("multiply", x.re, x.re), apply("multiply", x.im, x.im)))


def _exponential(x: Parts) -> Parts:
    return scale(Parts(apply("cosine", x.im), apply("sine", x.im)), apply("exponential", x.re))


def _log(x: Parts) -> Parts:
    return Parts(apply("log", absolute(x)), apply("atan2", x.im, x.re))


def _sqrt(x: Parts) -> Parts:
    """The root with a positive real part: halves of `|x| + a` and `|x| - a`."""
    size, half, zero = absolute(x), splat(0.5, x.re), splat(0.0, x.re)

    def root(sum_or_difference: str) -> ir.Value:
        half_sum = apply("multiply", apply(sum_or_difference, size, x.re), half)
        return apply("sqrt", apply("maximum", half_sum, zero))

    im = root("subtract")
    return Parts(root("add"), _select(compare("LT", x.im, zero), apply("negate", im), im))


def _rsqrt(x: Parts) -> Parts:
    return divide(Parts(splat(1.0, x.re), splat(0.0, x.re)), _sqrt(x))


def _hyperbolic(x: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return `cosh` and `sinh` of a real tensor."""
    half, up = splat(0.5, x), apply("exponential", x)
    down = apply("exponential", apply("negate", x))
    cosh = apply("multiply", apply("add", up, down), half)
    small = apply("exponential_minus_one", x)
    other = apply("exponential_minus_one", apply("negate", x))
    return cosh, apply("multiply", apply("subtract", small, other), half)


def _sine(x: Parts) -> Parts:
    cosh, sinh = _hyperbolic(x.im)
    return Parts(apply("multiply", apply("sine", x.re), cosh), apply("multiply", apply("cosine", x.re), sinh))


def _cosine(x: Parts) -> Parts:
    cosh, sinh = _hyperbolic(x.im)
    im = apply("negate", apply("multiply", apply("sine", x.re), sinh))
    return Parts(apply("multiply", apply("cosine", x.re), cosh), im)


def _tanh(x: Parts) -> Parts:
    """With `q = exp(-2 |a|)`: `(sign(a) (1 - q^2) + 2 q sin(2 b) i) / (1 + 2 q cos(2 b) + q^2)`."""
    two, one = splat(2.0, x.re), splat(1.0, x.re)
    q = apply("exponential", apply("negate", apply("multiply", apply("abs", x.re), two)))
    angle, twice = apply("multiply", x.im, two), apply("multiply", q, two)
    squared = apply("multiply", q, q)
    norm = apply("add", apply("add", one, squared), apply("multiply", twice, apply("cosine", angle)))
    re = apply("multiply", apply("sign", x.re), apply("subtract", one, squared))
    im = apply("multiply", twice, apply("sine", angle))
    return Parts(apply("divide", re, norm), apply("divide", im, norm))


def _tan(x: Parts) -> Parts:
    """`-i tanh(i x)`."""
    turned = _tanh(Parts(apply("negate", x.im), x.re))
    return Parts(turned.im, apply("negate", turned.re))


def _logistic(x: Parts) -> Parts:
    """`(1 + tanh(x / 2)) / 2`."""
    half = splat(0.5, x.re)
    return scale(_offset(_tanh(scale(x, half)), 1.0), half)


def _sign(x: Parts) -> Parts:
    size, zero = absolute(x), splat(0.0, x.re)
    is_zero = compare("EQ", size, zero)
    return Parts(*(_select(is_zero, zero, apply("divide", part, size)) for part in x))


def _power(x: Parts, y: Parts) -> Parts:
    """`exp(y log(x))`; `0^0` is 1, and other powers of 0 are 0."""
    zero = splat(0.0, x.re)
    power = _exponential(multiply(y, _log(x)))
    no_exponent = compare("EQ", absolute(y), zero)
    is_zero = compare("EQ", absolute(x), zero)
    one = _select(no_exponent, splat(1.0, x.re), zero)
    return Parts(_select(is_zero, one, power.re), _select(is_zero, zero, power.im))


def _cbrt(x: Parts) -> Parts:
    third = splat(1 / 3, x.re)
    return _power(x, Parts(third, splat(0.0, x.re)))


ELEMENTWISE: Mapping[str, Callable[..., Parts]] = {
    "add": _add,
    "subtract": lambda x, y: Parts(apply("subtract", x.re, y.re), apply("subtract", x.im, y.im)),
    "multiply": multiply,
    "divide": divide,
    "power": _power,
    "negate": lambda x: Parts(apply("negate", x.re), apply("negate", x.im)),
    "exponential": _exponential,
    "exponential_minus_one": lambda x: _offset(_exponential(x), -1.0),
    "log": _log,
    "log_plus_one": lambda x: _log(_offset(x, 1.0)),
    "sqrt": _sqrt,
    "rsqrt": _rsqrt,
    "cbrt": _cbrt,
    "sine": _sine,
    "cosine": _cosine,
    "tan": _tan,
    "tanh": _tanh,
    "logistic": _logistic,
    "sign": _sign,
}
"""Ops from complex to complex numbers, by StableHLO's name."""
