"""Integer arithmetic as StableHLO defines it: it wraps, division truncates, and no input is an error."""

import numpy as np

from ttstack_runtime.kernels.table import Array


def divide(lhs: Array, rhs: Array) -> Array:
    """Quotient rounded toward zero; by zero it is -1 (all bits set), the smallest value by -1 is itself."""
    safe = np.where(rhs == 0, rhs.dtype.type(1), rhs)
    quotient = np.floor_divide(lhs - np.fmod(lhs, safe), safe)
    return np.where(rhs == 0, ~lhs.dtype.type(0), quotient)


def remainder(lhs: Array, rhs: Array) -> Array:
    """Remainder with the sign of the dividend; by zero it is the dividend."""
    return np.where(rhs == 0, lhs, np.fmod(lhs, np.where(rhs == 0, rhs.dtype.type(1), rhs)))


def power(base: Array, exponent: Array) -> Array:
    """Wrapping power; a negative exponent gives the truncated value: 0 unless the base is 1 or -1."""
    result = np.power(base, np.maximum(exponent, exponent.dtype.type(0)))
    if exponent.dtype.kind != "i" or not (exponent < 0).any():
        return result
    unit = np.where(exponent % 2 == 0, base * base, base)
    inverse = np.where(np.abs(base) == 1, unit, base.dtype.type(0))
    return np.where(exponent < 0, inverse, result)


def shift_right_logical(lhs: Array, rhs: Array) -> Array:
    """Right shift that fills with zeros, also for signed types; by the width or more it gives 0."""
    unsigned = np.dtype(f"u{lhs.dtype.itemsize}")
    return np.right_shift(lhs.astype(unsigned), rhs.astype(unsigned)).astype(lhs.dtype)


def saturate(x: Array, dtype: np.dtype) -> Array:
    """Floats truncated toward zero to an integer `dtype`: out of range saturates, NaN gives 0."""
    limits = np.iinfo(dtype)
    out = x.astype(dtype)
    out[x >= 2.0 ** (limits.bits - (limits.min < 0))] = limits.max
    out[x <= float(limits.min)] = limits.min
    out[np.isnan(x)] = 0
    return out
