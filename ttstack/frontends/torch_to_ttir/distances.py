"""Norms, and distances of points."""

import math
from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import cast, constant, elementwise, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import compare
from ttstack.frontends.torch_to_ttir.reduction import reduce
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

CONVERSIONS = TorchConversionTable()

_NORM = "abs max min sum square sqrt ne pow"


@CONVERSIONS("linalg_vector_norm", "norm.ScalarOpt_dim", to=_NORM)
def _norm(call: TorchOp) -> ir.Value:
    """Compute norms of any order: 2 by squares, 0 by counting, infinities by extremes."""
    order = 2 if call.is_none(1) else call.number(1)
    dims = None if call.is_none(2) else call.integers(2)
    return norm(cast(call.tensor(0), call.result.dtype), order, dims, keep=call.flag(3))


def norm(x: ir.Value, order: float, dims: tuple[int, ...] | None, *, keep: bool) -> ir.Value:
    """Return the norm of that order over `dims`, or over all for None."""
    t = read_type(x.type)
    f, summed = partial(elementwise, result=t), partial(reduce, "sum", dims=dims, keep=keep)
    if order == 2:
        return ttir.sqrt(summed(f("square", x)))
    if order == 0:
        return summed(cast(compare("ne", x, 0), t.dtype))
    size = f("abs", x)
    if math.isinf(order):
        return reduce("max" if order > 0 else "min", size, dims, keep=keep)
    if order == 1:
        return summed(size)
    total = summed(f("pow", size, float(order)))
    return elementwise("pow", total, 1 / order, result=read_type(total.type))


@CONVERSIONS("_cdist_forward", to=f"{_NORM} subtract reshape")
def _cdist(call: TorchOp) -> ir.Value:
    """Compute the norm of every difference between a row of one and a row of the other."""
    a, b = call.tensor(0), call.tensor(1)
    (*lead, rows, width), (*other, columns, _) = read_type(a.type).shape, read_type(b.type).shape
    result = call.result.with_shape((*call.result.shape, width))
    apart = reshape_to(a, (*lead, rows, 1, width)), reshape_to(b, (*other, 1, columns, width))
    return norm(elementwise("subtract", *apart, result=result), float(call.number(2)), (-1,), keep=False)


@CONVERSIONS("_pdist_forward", to=f"{_NORM} embedding constant subtract")
def _pdist(call: TorchOp) -> ir.Value:
    """Compute the norm of the difference of each pair of rows."""
    x = call.tensor(0)
    pairs = np.triu_indices(read_type(x.type).shape[0], 1)
    index = TensorType((len(pairs[0]),), DType.I32)
    first, second = (ttir.embedding(constant(rows, index), x) for rows in pairs)
    difference = elementwise("subtract", first, second, result=read_type(first.type))
    return norm(difference, float(call.number(1)), (-1,), keep=False)
