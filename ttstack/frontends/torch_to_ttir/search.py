"""Searches: positions among sorted numbers by counts of comparisons."""

import math
from functools import partial

from ttstack.dialects.ttir.build import (
    before_broadcast,
    broadcast_to,
    cast,
    elementwise,
    reshape_to,
    slice_along,
    with_leading_ones,
)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.types import DType, ElementType, TensorType

CONVERSIONS = TorchConversionTable()

_COUNTS = "lt le sum reshape"


@CONVERSIONS("bucketize.Tensor", to=_COUNTS)
def _bucketize(call: TorchOp) -> ir.Value:
    """Count the boundaries below each number, or not above it."""
    return _passed(call.tensor(1), call.tensor(0), call.result.dtype, right=call.flag(3))


@CONVERSIONS("searchsorted.Tensor", to=_COUNTS)
def _searchsorted(call: TorchOp) -> ir.Value:
    """Count the numbers of a sorted line below each number, or not above it."""
    if not call.is_none(5):
        call.refuse("has a sorter", "sort the sequence first")
    right = call.flag(3) or (not call.is_none(4) and call.text(4) == "right")
    return _passed(call.tensor(0), call.tensor(1), call.result.dtype, right=right)


def _passed(line: ir.Value, x: ir.Value, dtype: ElementType, *, right: bool) -> ir.Value:
    """Return for each element of `x` the count of its `line` below it, or not above it."""
    (*lead, count), shape = read_type(line.type).shape, read_type(x.type).shape
    line = reshape_to(line, (*lead, *(1,) * (len(shape) - len(lead)), count))
    return _count(compare("le" if right else "lt", line, reshape_to(x, (*shape, 1))), -1, dtype)


def _count(bools: ir.Value, dim: int, dtype: ElementType) -> ir.Value:
    return ttir.sum(cast(bools, dtype), keep_dim=False, dim_arg=(dim,))


@CONVERSIONS("repeat_interleave.Tensor", to="cumsum arange le sum reshape")
def _repeat_interleave(call: TorchOp) -> ir.Value:
    """Count for each result position the elements whose repetitions are all before it."""
    counts, t = call.tensor(0), call.result
    ends = ttir.cumsum(cast(counts, t.dtype), dim=0)
    return _passed(ends, _places(t.size, t.dtype), t.dtype, right=True)


def _places(count: int, dtype: ElementType) -> ir.Value:
    t = TensorType((count,), dtype)
    return ttir.arange(result=t, start=0, end=count, step=1, arange_dimension=0)


@CONVERSIONS(
    "histc", to="max min eq where subtract add multiply div floor minimum ge le logical_and arange sum reshape"
)
def _histc(call: TorchOp) -> ir.Value:
    """Count the elements in each of the equal bins between two bounds: those of the data if the two are equal."""
    x, bins, (low, high) = call.tensor(0), call.integer(1), (float(call.number(i)) for i in (2, 3))
    t = TensorType((read_type(x.type).size, 1), call.result.dtype)
    x, f = reshape_to(cast(x, t.dtype), t.shape), partial(elementwise, result=t)
    bottom, width = (low, high - low) if low != high else _range(x)
    places = f("minimum", f("floor", f("div", f("multiply", f("subtract", x, bottom), bins), width)), bins - 1)
    top = f("add", bottom, width) if isinstance(bottom, ir.Value) else high
    inside = compare("logical_and", compare("ge", x, bottom), compare("le", x, top))
    numbers = reshape_to(_places(bins, DType.I32), (1, bins))
    return _count(compare("eq", where(inside, places, -1, t), cast(numbers, t.dtype)), 0, t.dtype)


def _range(x: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the minimum and the distance to the maximum; for equal elements, from 1 below to 1 above."""
    low, high = (ttir.build(extreme, x, keep_dim=True, dim_arg=(0,)) for extreme in ("min", "max"))
    t = read_type(low.type)
    f, equal = partial(elementwise, result=t), compare("eq", low, high)
    return where(equal, f("subtract", low, 1), low, t), where(equal, 2, f("subtract", high, low), t)


@CONVERSIONS("masked_scatter", to="broadcast reshape slice_static cumsum subtract maximum embedding where")
def _mask_scatter(call: TorchOp) -> ir.Value:
    """Replace masked elements by consecutive elements of the source.

    A mask that is broadcast along the last dimensions, such as one of tokens, selects rows: these are counted and
    looked up.
    """
    result, source = call.result, call.tensor(2)
    mask = with_leading_ones(before_broadcast(call.tensor(1)), result.rank)
    lead, count = _dims_before_broadcast(mask), read_type(source.type).size
    if count < math.prod(result.shape[lead:]):
        lead = result.rank
    extents, width = result.shape[:lead], math.prod(result.shape[lead:])
    line = TensorType((math.prod(extents),), DType.I64)
    selected = broadcast_to(mask, (*extents, *read_type(mask.type).shape[lead:]))
    before = ttir.cumsum(cast(reshape_to(selected, line.shape), line.dtype), dim=0)
    place = elementwise("maximum", elementwise("subtract", before, 1, result=line), 0, result=line)
    rows = slice_along(reshape_to(source, (count,)), 0, 0, count // width * width)
    picked = ttir.embedding(place, reshape_to(rows, (count // width, width)))
    return where(mask, reshape_to(picked, result.shape), call.tensor(0), result)


def _dims_before_broadcast(mask: ir.Value) -> int:
    """Return the number of dimensions up to the last whose extent is not 1."""
    return max((d + 1 for d, extent in enumerate(read_type(mask.type).shape) if extent != 1), default=0)
