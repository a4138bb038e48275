"""Scans that TTIR does not have, as reductions over all elements up to each one."""

import math
from collections.abc import Sequence

import numpy as np

from ttstack.dialects.ttir.build import constant, permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.reduction import log_of_sum, reduce
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType, TensorType

CONVERSIONS = TorchConversionTable()

_PREFIXES = "constant where permute reshape"


@CONVERSIONS("logcumsumexp", to=f"{_PREFIXES} subtract max exp sum log add isfinite")
def _logcumsumexp(call: TorchOp) -> ir.Value:
    """Compute the logarithm of the sum of exponentials up to each element."""
    prefixes, _ = _prefixes(call, -math.inf)
    return _back(call, log_of_sum(prefixes, (-1,)))


@CONVERSIONS("cummax", "cummin", to=f"{_PREFIXES} max min eq logical_and arange")
def _extreme(call: TorchOp) -> Sequence[ir.Value]:
    """Compute the extreme up to each element, and its last position."""
    kind, dtype = call.name[-3:], call.result.dtype
    ends = (-math.inf, math.inf) if dtype.is_float else (np.iinfo(dtype.numpy).min, np.iinfo(dtype.numpy).max)
    prefixes, before = _prefixes(call, ends[kind == "min"])
    extreme = reduce(kind, prefixes, (-1,), keep=True)
    if not call.is_used(1):
        return [_back(call, extreme), call.tensor(0)]
    t = TensorType((read_type(before.type).shape[-1],), DType.I64)
    place = ttir.arange(result=t, start=0, end=t.size, step=1, arange_dimension=0)
    stands = compare("logical_and", compare("eq", prefixes, extreme), before)
    places = where(stands, place, -1, read_type(stands.type).with_dtype(DType.I64))
    return [_back(call, extreme), _back(call, reduce("max", places, (-1,), keep=True))]


def _prefixes(call: TorchOp, other: float) -> tuple[ir.Value, ir.Value]:
    """Return [..., n, n]: for each element all up to it, then `other`; and a mask of those."""
    x = permute_dims(call.tensor(0), _last(call))
    t = read_type(x.type)
    *lead, count = t.shape
    triangle = TensorType((count, count), DType.I1)
    before = constant(np.tri(count, dtype=bool), triangle)
    whole = t.with_shape((*lead, count, count))
    return where(before, reshape_to(x, (*lead, 1, count)), other, whole), before


def _back(call: TorchOp, found: ir.Value) -> ir.Value:
    """Reshape [..., n, 1] to the operand's shape."""
    order = _last(call)
    shape = [call.result.shape[d] for d in order]
    return permute_dims(reshape_to(found, shape), [order.index(d) for d in range(len(order))])


def _last(call: TorchOp) -> list[int]:
    """Return the dimensions with the scanned one last."""
    at = axis(call.integer(1), call.result.rank)
    return [*(d for d in range(call.result.rank) if d != at), at]
