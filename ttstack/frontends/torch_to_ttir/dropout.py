"""Dropout masks: random words from a seed, the step and the element's position."""

import math

from ttstack.dialects.ttir.build import cast, concat_along, elementwise, reshape_to, scalar, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.conversion.threefry import OPS, threefry
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

CONVERSIONS = TorchConversionTable()

_BITS = 24
"""Number of compared bits of each word: the precision of float32."""


@CONVERSIONS("torch.ttstack.dropout_mask", to=f"{OPS} arange concat reshape slice_static typecast ge")
def _dropout_mask(call: TorchOp) -> ir.Value:
    """Draw two words for each count of columns and rows; keep an element if its word is at least the probability."""
    *lead, width = call.result.shape
    words, last = call.result.with_dtype(DType.UI32), len(lead)
    given = cast(call.tensor(0), DType.UI32)
    key = [reshape_to(slice_along(given, 0, i, i + 1), (1,) * words.rank) for i in range(2)]
    columns = _count(words.with_shape((1,) * last + (-(-width // 2),)), last, 0)
    rows = _count(words.with_shape((math.prod(lead), 1)), 0, call.integer(1))
    drawn = concat_along(threefry(key, [columns, reshape_to(rows, (*lead, 1))]), last)
    bits = elementwise("logical_right_shift", slice_along(drawn, last, 0, width), 32 - _BITS, result=words)
    number = cast(bits, DType.F32)
    least = scalar(call.number(3) * 2**_BITS, words.with_dtype(DType.F32))
    return ttir.ge(number, least, result=call.result)


def _count(t: TensorType, dim: int, first: int) -> ir.Value:
    """Return consecutive numbers along one dimension."""
    return ttir.arange(result=t, start=first, end=first + t.shape[dim], step=1, arange_dimension=dim)
