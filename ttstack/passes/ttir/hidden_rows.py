"""Rows of scores of which every one is hidden by -inf: softmax makes them NaN, attention as one op makes them 0."""

import numpy as np

from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.ttir.bounds import bounds
from ttstack.passes.ttir.compile_time import elements


def with_nan_rows(mask: ir.Value, max_elements: int) -> ir.Value:
    """The mask, its rows of nothing but -inf made NaN; itself where it is known to have none.

    The largest element of a row times 0 is 0, or NaN where that is infinite. What attentions have in common is
    computed once.
    """
    if np.isfinite(bounds(mask)[0]):
        return mask
    if (known := elements(max_elements).about(mask)) is not None and not np.isneginf(known.max(axis=-1)).any():
        return mask
    zero = read_type(mask.type).with_shape((1, 1, 1, 1))
    nothing = ttir.constant(result=zero, value=elements_attribute(np.zeros(zero.shape, zero.dtype.numpy), zero))
    largest = ttir.max(mask, keep_dim=True, dim_arg=(-1,))
    return ttir.add(mask, ttir.multiply(largest, nothing))
