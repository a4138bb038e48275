"""Sorting and top-k selection."""

import math
from collections.abc import Mapping, Sequence

from ttstack.dialects.base import create
from ttstack.dialects.ttir.build import reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("topk", to="topk")
def _topk(call: TorchOp) -> Sequence[ir.Value]:
    """Return values and positions."""
    attributes = {"k": call.integer(1), "dim": call.integer(2), "largest": call.flag(3), "sorted": call.flag(4)}
    return _order(call, "topk", attributes)


@CONVERSIONS("sort", "sort.stable", to="sort")
def _sort(call: TorchOp) -> Sequence[ir.Value]:
    """Sort stably."""
    return _sorted(call)


@CONVERSIONS("argsort", "argsort.stable", to="sort")
def _argsort(call: TorchOp) -> ir.Value:
    """Return only the positions."""
    return _sorted(call)[1]


def _sorted(call: TorchOp) -> Sequence[ir.Value]:
    first = 2 if call.name.endswith("stable") else 1
    attributes = {"dim": call.integer(first), "descending": call.flag(first + 1), "stable": True}
    return _order(call, "sort", attributes)


def _order(call: TorchOp, mnemonic: str, attributes: Mapping[str, object]) -> Sequence[ir.Value]:
    """Return values, and positions as 64-bit integers, as in torch."""
    x = call.tensor(0)
    values = read_type(x.type)
    return create("ttir", mnemonic, [x], attributes, results=[values, values.with_dtype(DType.I64)]).results


_MIDDLE = "sort slice_static reshape ne reduce_or where"


@CONVERSIONS("median", to=_MIDDLE)
def _median(call: TorchOp) -> ir.Value:
    """Return the lower of the two middle elements; NaN if there is one."""
    line = reshape_to(call.tensor(0), (read_type(call.tensor(0).type).size,))
    return _with_nan(line, _place(line, 0, (read_type(line.type).size + 1) // 2, call.result.shape)[0], 0)


@CONVERSIONS("median.dim", to=_MIDDLE)
def _median_along(call: TorchOp) -> Sequence[ir.Value]:
    """Return the lower of the two middle elements of each line, and the position of an equal one."""
    x, dim = call.tensor(0), axis(call.integer(1), read_type(call.tensor(0).type).rank)
    values, places = _place(x, dim, (read_type(x.type).shape[dim] + 1) // 2, call.result.shape)
    return [_with_nan(x, values, dim), places]


@CONVERSIONS("kthvalue", to="sort slice_static reshape")
def _kth(call: TorchOp) -> Sequence[ir.Value]:
    """Return the element of that rank of each line, and the position of an equal one."""
    x = call.tensor(0)
    return _place(x, axis(call.integer(2), read_type(x.type).rank), call.integer(1), call.result.shape)


def _place(x: ir.Value, dim: int, rank: int, shape: Sequence[int]) -> list[ir.Value]:
    """Return values and positions of rank `rank`, from 1 on, along one dimension."""
    values = read_type(x.type)
    attributes = {"dim": dim, "descending": False, "stable": True}
    found = create("ttir", "sort", [x], attributes, results=[values, values.with_dtype(DType.I64)]).results
    return [reshape_to(slice_along(v, dim, rank - 1, rank), shape) for v in found]


def _with_nan(x: ir.Value, found: ir.Value, dim: int) -> ir.Value:
    """Return NaN for lines that contain one."""
    t = read_type(found.type)
    if not t.dtype.is_float:
        return found
    holds = ttir.reduce_or(compare("ne", x, x), keep_dim=False, dim_arg=(dim,))
    return where(reshape_to(holds, t.shape), math.nan, found, t)
