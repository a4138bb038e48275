"""erf, erfc and the normal distribution, without SciPy.

float64 takes the rational approximations of FDLIBM's `s_erf.c` (Sun Microsystems, 1993;
https://www.netlib.org/fdlibm/s_erf.c), one an interval, with an error below one unit in the last place.
float32 `erf` takes the single one of Eigen and XLA (Eigen, `generic_fast_erf_float`), without branches. float32
`normal_cdf` takes the one of Hart (Computer Approximations, 1968, no. 5666, as in G. West, "Better approximations to
cumulative normal functions", 2005).
"""

from collections.abc import Sequence

import numpy as np

from ttstack_runtime.chunks import in_chunks
from ttstack_runtime.kernels.table import Array

_ERX = 8.45062911510467529297e-01
_EFX = 1.28379167095512586316e-01

# fmt: off
_PP = (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
       -5.77027029648944159157e-03, -2.37630166566501626084e-05)
_QQ = (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
       1.32494738004321644526e-04, -3.96022827877536812320e-06)
_PA = (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
       3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
       -2.16637559486879084300e-03)
_QA = (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
       1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02)
_RA = (-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
       -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
       -8.12874355063065934246e+01, -9.81432934416914548592e+00)
_SA = (1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
       6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
       6.57024977031928170135e+00, -6.04244152148580987438e-02)
_RB = (-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
       -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
       -4.83519191608651397019e+02)
_SB = (1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
       3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
       -2.24409524465858183362e+01)
ERF32_NUMERATOR = (1.128379143519084, 0.18520832239976145, 0.050955695062380861, 0.0034082910107109506,
                    0.00022905065861350646)
ERF32_DENOMINATOR = (1.0, 0.49746925110067538, 0.11098505178285362, 0.014070470171167667,
                      0.0010179625278914885, 0.000023547966471313185, -1.1791602954361697e-7)
CDF32_NUMERATOR = (220.206867912376, 221.213596169931, 112.079291497871, 33.912866078383, 6.37396220353165,
                    0.700383064443688, 0.0352624965998911)
CDF32_DENOMINATOR = (440.413735824752, 793.826512519948, 637.333633378831, 296.564248779674, 86.7807322029461,
                      16.064177579207, 1.75566716318264, 0.0883883476483184)
# fmt: on
ERF32_LIMIT = 3.9  # the approximation reaches 1 there, and erf rounds to 1 in float32
CDF32_LIMIT = 40  # the distribution is 0 in float64 below


def erf(x: Array) -> Array:
    """Error function, to float precision of `x` (float32, otherwise float64)."""
    return in_chunks(_erf32 if x.dtype == np.float32 else _erf64, x)


def erfc(x: Array) -> Array:
    """Complementary error function, with full relative precision in the tail."""
    return in_chunks(lambda part: _erfc64(part.astype(np.float64, copy=False)), x)


def normal_cdf(x: Array) -> Array:
    """`(1 + erf(x / sqrt 2)) / 2` in float64, to float precision of `x`, also relative to what it is in the tail."""
    if x.dtype != np.float32:
        return 0.5 * _erfc64(x * -np.sqrt(0.5))
    magnitude = np.minimum(np.abs(x), CDF32_LIMIT)
    ratio = _polynomial(magnitude, CDF32_NUMERATOR) / _polynomial(magnitude, CDF32_DENOMINATOR)
    below = ratio * np.exp(np.square(magnitude, dtype=np.float64) * -0.5)
    return np.abs((x >= 0) - below)


def _polynomial(x: Array, coefficients: Sequence[float]) -> Array:
    """Horner's rule, lowest coefficient first, in the precision of `x`."""
    result = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result *= x
        result += coefficient
    return result


def _erf32(x: Array) -> Array:
    clipped = np.clip(x, -ERF32_LIMIT, ERF32_LIMIT)
    square = clipped * clipped
    clipped *= _polynomial(square, ERF32_NUMERATOR)
    clipped /= _polynomial(square, ERF32_DENOMINATOR)
    return np.clip(clipped, -1, 1, out=clipped)


def _erf64(x: Array) -> Array:
    magnitude = np.abs(x)
    out = np.ones_like(x)
    small, middle = magnitude < 0.84375, (magnitude >= 0.84375) & (magnitude < 1.25)
    tail = (magnitude >= 1.25) & (magnitude < 6)
    out[small] = _erf_small(magnitude[small])
    out[middle] = _ERX + _middle(magnitude[middle])
    out[tail] = 1 - _tail(magnitude[tail])
    out[np.isnan(x)] = np.nan
    return np.copysign(out, x)


def _erfc64(x: Array) -> Array:
    magnitude = np.abs(x)
    above = np.zeros_like(x)  # erfc of the magnitude
    small, middle = magnitude < 0.84375, (magnitude >= 0.84375) & (magnitude < 1.25)
    tail = (magnitude >= 1.25) & (magnitude < 28)
    above[middle] = 1 - _ERX - _middle(magnitude[middle])
    above[tail] = _tail(magnitude[tail])
    above[np.isnan(x)] = np.nan
    out = np.where(x < 0, 2 - above, above)
    near = x[small]
    rational = near * _small_ratio(near * near)
    out[small] = np.where(near < 0.25, 1 - (near + rational), 0.5 - (near - 0.5 + rational))
    return out


def _small_ratio(square: Array) -> Array:
    return _polynomial(square, _PP) / _polynomial(square, _QQ)


def _erf_small(x: Array) -> Array:
    return np.where(x < 1e-8, x + _EFX * x, x + x * _small_ratio(x * x))


def _middle(magnitude: Array) -> Array:
    offset = magnitude - 1
    return _polynomial(offset, _PA) / _polynomial(offset, _QA)


def _tail(magnitude: Array) -> Array:
    """Erfc for arguments from 1.25; a rounded argument is squared exactly, so that `exp` loses no digits."""
    inverse = 1 / (magnitude * magnitude)
    near = magnitude < 1 / 0.35
    ratio = np.where(
        near,
        _polynomial(inverse, _RA) / _polynomial(inverse, _SA),
        _polynomial(inverse, _RB) / _polynomial(inverse, _SB),
    )
    rounded = magnitude.astype(np.float32).astype(np.float64)
    rest = (rounded - magnitude) * (rounded + magnitude) + ratio
    return np.exp(-rounded * rounded - 0.5625) * np.exp(rest) / magnitude
