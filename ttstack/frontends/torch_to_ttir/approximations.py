"""Functions that TTIR does not have, by approximations with float32 precision."""

import math
from collections.abc import Sequence
from functools import partial

from ttstack.dialects.ttir.build import elementwise
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

CONVERSIONS = TorchConversionTable()

_CENTRE = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
           -0.00417768164, 0.246640727, 1.50140941)  # fmt: skip
_TAIL = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
         0.00943887047, 1.00167406, 2.83297682)  # fmt: skip
_NEAR = (0.0045813, 0.0360768, 0.2659732, 1.2067492, 3.0899424, 3.5156229, 1.0)
_FAR = (0.00392377, -0.01647633, 0.02635537, -0.02057706, 0.00916281, -0.00157565, 0.00225319, 0.01328592,
        0.39894228)  # fmt: skip
_LANCZOS = (76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
            -0.000005395239384953)  # fmt: skip


@CONVERSIONS("erfinv", to="multiply subtract add log neg sqrt lt eq abs where")
def _erfinv(call: TorchOp) -> ir.Value:
    """Use Giles 2010, "Approximating the erfinv function": polynomials in `log(1 - x^2)` for centre and tails."""
    x, t, f = call.tensor(0), call.result, partial(elementwise, result=call.result)
    w = f("neg", f("log", f("multiply", f("subtract", 1.0, x), f("add", 1.0, x))))
    centre = _polynomial(f("subtract", w, 2.5), _CENTRE, t)
    tail = _polynomial(f("subtract", f("sqrt", w), 3.0), _TAIL, t)
    factor = where(compare("lt", w, 5.0), centre, tail, t)
    return f("multiply", x, where(compare("eq", f("abs", x), 1.0), math.inf, factor, t))


@CONVERSIONS("i0", "special_i0", to="multiply abs add div exp sqrt lt where")
def _bessel(call: TorchOp) -> ir.Value:
    """Use Abramowitz and Stegun 9.8.1 up to 3.75, 9.8.2 beyond."""
    x, t, f = call.tensor(0), call.result, partial(elementwise, result=call.result)
    size, part = f("abs", x), f("div", x, 3.75)
    near = _polynomial(f("multiply", part, part), _NEAR, t)
    far = f("multiply", f("div", f("exp", size), f("sqrt", size)), _polynomial(f("div", 3.75, size), _FAR, t))
    return where(compare("lt", size, 3.75), near, far, t)


@CONVERSIONS("lgamma", "special_gammaln", to="subtract add div log multiply sin floor abs lt eq where")
def _lgamma(call: TorchOp) -> ir.Value:
    """Use Lanczos' series with six terms above a half, and Euler's reflection below."""
    x, t, f = call.tensor(0), call.result, partial(elementwise, result=call.result)
    low = compare("lt", x, 0.5)
    y = where(low, f("subtract", 1.0, x), x, t)
    series: ir.Value | float = 1.000000000190015
    for i, coefficient in enumerate(_LANCZOS, 1):
        series = f("add", series, f("div", coefficient, f("add", y, float(i))))
    shifted = f("add", y, 5.5)
    power = f("subtract", f("multiply", f("add", y, 0.5), f("log", shifted)), shifted)
    high = f("add", power, f("log", f("div", f("multiply", series, math.sqrt(2 * math.pi)), y)))
    apart = f("subtract", x, f("floor", f("add", x, 0.5)))  # from the nearest pole
    sine = f("abs", f("sin", f("multiply", apart, math.pi)))
    found = where(low, f("subtract", f("subtract", math.log(math.pi), f("log", sine)), high), high, t)
    return where(compare("eq", f("abs", x), math.inf), math.inf, found, t)


def _polynomial(x: ir.Value, coefficients: Sequence[float], t: TensorType) -> ir.Value:
    """Evaluate a polynomial by Horner's rule; the coefficient of the highest power comes first."""
    f = partial(elementwise, result=t)
    highest, *others, last = coefficients
    found = f("multiply", x, highest)
    for coefficient in others:
        found = f("multiply", f("add", found, coefficient), x)
    return f("add", found, last)
