"""Sums of chosen rows as a product with ones and zeros, where zeros meet only finite numbers."""

import math

import numpy as np

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import constant
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType


def add_selection(chosen: ir.Value, rows: ir.Value) -> ir.Value:
    """The sums of rows [..., rows, columns] that are chosen by [..., sums, rows], which are 0 or 1.

    Zero times infinity is NaN, so rows are added without what is not finite. Infinities and NaN come back where a sum
    has any: NaN counts as both infinities, whose sum it is.
    """
    t = read_type(rows.type)
    ones = ttir.typecast(chosen, result=t.with_shape(read_type(chosen.type).shape))
    nothing = _number(0, t)
    sums = ttir.matmul(ones, ttir.where(ttir.isfinite(rows, result=t.with_dtype(DType.I1)), rows, nothing))
    truth = read_type(sums.type).with_dtype(DType.I1)
    for infinity, compare in ((math.inf, "lt"), (-math.inf, "gt")):
        limit = _number(infinity, t)
        beyond = ttir.logical_not(ttir.build(compare, rows, limit, result=t), result=t)
        has_any = ttir.gt(ttir.matmul(ones, beyond), nothing, result=truth)
        sums = ttir.add(sums, ttir.where(has_any, limit, nothing))
    return sums


def _number(number: float, like: TensorType) -> ir.Value:
    t = like.with_shape((1,) * like.rank)
    return constant(np.full(t.shape, number, np.float32), t)
