"""Pools and resizing of images."""

from functools import partial
from typing import Any

import numpy as np

from ttstack.dialects.ttir.build import cast, constant, elementwise, permute_dims
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.filters import Matrix, along, taps
from ttstack.frontends.tosa_to_ttir.integers import within
from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

CONVERSIONS = TosaConversionTable()


@CONVERSIONS("max_pool2d", to="max_pool2d")
def _max_pool(call: TosaOp) -> ir.Value:
    """Use the same op."""
    if call.word("nan_mode", "propagate") != "propagate":
        call.refuse("ignores NaN", "use nan_mode PROPAGATE")
    return _pool(call, "max_pool2d")


@CONVERSIONS("avg_pool2d", to="avg_pool2d subtract permute matmul multiply add right_shift clamp_tensor typecast")
def _avg_pool(call: TosaOp) -> ir.Value:
    """Average the elements inside the image; for integers, multiply sums along each axis by a reciprocal."""
    if not call.result.dtype.is_float:
        return _average_integers(call)
    return _pool(call, "avg_pool2d", count_include_pad=False)


def _average_integers(call: TosaOp) -> ir.Value:
    wide = cast(call.tensor(0), DType.I32)
    x = elementwise("subtract", wide, call.number(1), result=read_type(wide.type))
    counts: list[np.ndarray] = []
    for axis, before in ((0, 0), (1, 2)):
        size, count = call.type(0).shape[1 + axis], call.result.shape[1 + axis]
        first = np.arange(count) * call.integers("stride")[axis] - call.integers("pad")[before]
        place = np.arange(size) - first[:, None]
        matrix = ((place >= 0) & (place < call.integers("kernel")[axis])).astype(np.int64)
        order = (0, 3, 2, 1) if axis == 0 else (0, 1, 3, 2)
        x = permute_dims(along(permute_dims(x, order), 3, matrix), order)
        counts.append(matrix.sum(axis=1))
    total = cast(x, DType.I64)
    f = partial(elementwise, result=read_type(total.type))
    multiplier, half, shift = (_for_pixels(n) for n in _reciprocal(np.outer(*counts)))
    mean = f("right_shift", f("add", f("multiply", total, multiplier), half), shift)
    return within(f("add", mean, call.number(2)), call.result.dtype)


def _reciprocal(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return multiplier, rounding and shift that divide by the counts: `reciprocal_scale` of the TOSA specification."""
    bits = np.array([int(n - 1).bit_length() for n in counts.flat]).reshape(counts.shape)
    shift = 30 + bits
    return ((1 << 30) + 1 << bits) // counts, 1 << shift - 1, shift


def _for_pixels(values: np.ndarray) -> ir.Value:
    shape = (1, *values.shape, 1)
    return constant(values.reshape(shape), TensorType(shape, DType.I64))


def _pool(call: TosaOp, mnemonic: str, **more: Any) -> ir.Value:
    sides = call.integers("pad")
    window: dict[str, Any] = {"kernel": call.integers("kernel"), "stride": call.integers("stride"), "dilation": (1, 1)}
    padding = (*sides[::2], *sides[1::2])
    return ttir.build(mnemonic, call.tensor(0), **window, padding=padding, ceil_mode=False, **more)


@CONVERSIONS("resize", to="permute matmul constant typecast")
def _resize(call: TosaOp) -> ir.Value:
    """Multiply by a matrix along each axis; for integers, by numerators of the weights."""
    scale, offset = call.shape(1), call.shape(2)
    nearest = "nearest" in call.word("mode", "")
    x = cast(call.tensor(0), call.result.dtype if call.result.dtype.is_float else DType.I32)
    for axis in (0, 1):
        numerator, denominator = scale[2 * axis : 2 * axis + 2]
        size, count = call.type(0).shape[1 + axis], call.result.shape[1 + axis]
        at = np.arange(count) * denominator + offset[axis]
        matrix = _nearest(size, at, numerator) if nearest else _mix(size, at, numerator)
        if not nearest and call.result.dtype.is_float:
            matrix = matrix / numerator
        order = (0, 3, 2, 1) if axis == 0 else (0, 1, 3, 2)
        x = permute_dims(along(permute_dims(x, order), 3, matrix), order)
    return cast(x, call.result.dtype) if read_type(x.type).dtype is not call.result.dtype else x


def _nearest(size: int, at: np.ndarray, numerator: int) -> Matrix:
    """Return a matrix that selects the closest element."""
    below = at // numerator
    return taps(size, (below + (2 * (at - below * numerator) >= numerator))[:, None], np.ones((len(at), 1)))


def _mix(size: int, at: np.ndarray, numerator: int) -> Matrix:
    """Return a matrix with numerators of the weights of the two elements around each position."""
    below = at // numerator
    share = at - below * numerator
    return taps(size, below[:, None] + [0, 1], np.stack([numerator - share, share], 1))
