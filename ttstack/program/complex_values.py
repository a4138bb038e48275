"""Complex values of inputs and outputs, which programs hold as pairs of reals along the last dimension."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ttstack.ops.types import DType, TensorType
from ttstack.program.records import Function

Array = np.ndarray[Any, Any]

_PARTS = 2


def is_pairs(t: TensorType) -> bool:
    """Return True if elements of a type can be pairs of reals."""
    return t.shape[-1:] == (_PARTS,) and isinstance(t.dtype, DType) and t.dtype.is_float


def interleave(values: Array) -> Array:
    """Return complex values [...] as pairs of reals [..., 2]."""
    return np.stack([np.real(values), np.imag(values)], -1)


def to_complex(pairs: Array) -> Array:
    """Return pairs of reals [..., 2] as complex values [...]: complex128 of f64, and complex64 of narrower reals."""
    wide = pairs if pairs.dtype == np.float64 else pairs.astype(np.float32, copy=False)
    return np.ascontiguousarray(wide).view(np.complex128 if wide.dtype == np.float64 else np.complex64)[..., 0]


def complex_outputs(function: Function, values: Mapping[str, Array]) -> dict[str, Array]:
    """Return outputs by name, complex ones as complex arrays."""
    found = {output.name for output in function.outputs if output.is_complex}
    return {name: to_complex(array) if name in found else array for name, array in values.items()}
