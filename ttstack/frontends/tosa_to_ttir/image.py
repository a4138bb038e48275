"""Pools, and images in other sizes."""

from typing import Any

import numpy as np

from ttstack.dialects.ttir.build import permuted, ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import cast
from ttstack.frontends.torch_to_ttir.filters import Matrix, along, taps
from ttstack.frontends.tosa_to_ttir.call import Call, ConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = ConversionTable()


@CONVERSIONS("max_pool2d", to="max_pool2d")
def _max_pool(call: Call) -> ir.Value:
    """The same."""
    if call.word("nan_mode", "propagate") != "propagate":
        call.refuse("ignores NaN", "use nan_mode PROPAGATE")
    return _pooled(call, "max_pool2d")


@CONVERSIONS("avg_pool2d", to="avg_pool2d")
def _avg_pool(call: Call) -> ir.Value:
    """The mean of what is inside of the image."""
    if not call.result.dtype.is_float:
        call.refuse("averages integers", "average real numbers, and rescale then")
    return _pooled(call, "avg_pool2d", count_include_pad=False)


def _pooled(call: Call, mnemonic: str, **more: Any) -> ir.Value:
    sides = call.integers("pad")
    window: dict[str, Any] = {"kernel": call.integers("kernel"), "stride": call.integers("stride"), "dilation": (1, 1)}
    padding = (*sides[::2], *sides[1::2])
    return ttir(mnemonic, [call.tensor(0)], **window, padding=padding, ceil_mode=False, **more)


@CONVERSIONS("resize", to="permute matmul constant typecast")
def _resize(call: Call) -> ir.Value:
    """A product along each axis; of integers, of the numerators of the weights."""
    scale, offset = call.shape(1), call.shape(2)
    nearest = "nearest" in call.word("mode", "")
    x = cast(call.tensor(0), call.result.dtype if call.result.dtype.is_float else DType.I32)
    for axis in (0, 1):
        numerator, denominator = scale[2 * axis : 2 * axis + 2]
        size, count = call.type(0).shape[1 + axis], call.result.shape[1 + axis]
        at = np.arange(count) * denominator + offset[axis]
        matrix = _nearest(size, at, numerator) if nearest else _mixed(size, at, numerator)
        if not nearest and call.result.dtype.is_float:
            matrix = matrix / numerator
        order = (0, 3, 2, 1) if axis == 0 else (0, 1, 3, 2)
        x = permuted(along(permuted(x, order), 3, matrix), order)
    return cast(x, call.result.dtype) if read_type(x.type).dtype is not call.result.dtype else x


def _nearest(size: int, at: np.ndarray, numerator: int) -> Matrix:
    """The element whose place is closest."""
    below = at // numerator
    return taps(size, (below + (2 * (at - below * numerator) >= numerator))[:, None], np.ones((len(at), 1)))


def _mixed(size: int, at: np.ndarray, numerator: int) -> Matrix:
    """Numerators of the shares of the two elements around each place."""
    below = at // numerator
    share = at - below * numerator
    return taps(size, below[:, None] + [0, 1], np.stack([numerator - share, share], 1))
