"""Reductions, scans and softmax."""

import math
from functools import partial

from ttstack.dialects.ttir.build import cast, elementwise, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.shapes import axes
from ttstack.ops.types import DType

CONVERSIONS = TorchConversionTable()

_ALL = {
    "sum": "sum",
    "mean": "mean",
    "max": "max",
    "min": "min",
    "prod": "prod",
    "all": "reduce_and",
    "any": "reduce_or",
}
"""Reductions over all dimensions."""

_ALONG = {
    "sum.dim_IntList": "sum",
    "mean.dim": "mean",
    "amax": "max",
    "amin": "min",
    "all.dims": "reduce_and",
    "any.dims": "reduce_or",
}
"""Reductions over a list of dimensions."""

_ALONG_ONE = {"prod.dim_int": "prod", "all.dim": "reduce_and", "any.dim": "reduce_or"}

_VARIANCES = [f"{name}.{how}" for name in ("var", "std", "var_mean") for how in ("correction", "dim")]

_EXTREMES = {"max.dim": "max", "min.dim": "min"}


def reduce(mnemonic: str, x: ir.Value, dims: tuple[int, ...] | None, *, keep: bool) -> ir.Value:
    """Reduce over `dims`, or over all for None; PyTorch counts dimension 0 of a tensor without dimensions."""
    return ttir.build(mnemonic, x, keep_dim=keep, dim_arg=(dims or None) if read_type(x.type).rank else None)


def _dims(call: TorchOp, i: int) -> tuple[int, ...] | None:
    return None if call.is_none(i) else call.integers(i)


def _reduce_all(mnemonic: str, call: TorchOp) -> ir.Value:
    return reduce(mnemonic, cast(call.tensor(0), call.result.dtype), None, keep=False)


def _reduce(mnemonic: str, call: TorchOp) -> ir.Value:
    return reduce(mnemonic, cast(call.tensor(0), call.result.dtype), _dims(call, 1), keep=call.flag(2))


def _reduce_one(mnemonic: str, call: TorchOp) -> ir.Value:
    return reduce(mnemonic, cast(call.tensor(0), call.result.dtype), (call.integer(1),), keep=call.flag(2))


def _extreme(mnemonic: str, call: TorchOp) -> list[ir.Value]:
    x, dims, keep = call.tensor(0), (call.integer(1),), call.flag(2)
    largest = x if mnemonic == "max" else _opposite(x)
    index = ttir.argmax(largest, result=call.results[1], keep_dim=keep, dim_arg=dims)
    return [reduce(mnemonic, x, dims, keep=keep), index]


def _opposite(x: ir.Value) -> ir.Value:
    """Reverse the order of elements: invert all bits of integers, as the minimum has no negative."""
    t = read_type(x.type)
    return elementwise("neg" if t.dtype.is_float else "bitwise_not", x, result=t)


for _table, _convert in ((_ALL, _reduce_all), (_ALONG, _reduce), (_ALONG_ONE, _reduce_one)):
    for _source, _mnemonic in _table.items():
        CONVERSIONS.add([_source], [_mnemonic, "ne"], partial(_convert, _mnemonic))
for _source, _mnemonic in _EXTREMES.items():
    CONVERSIONS.add([_source], [_mnemonic, "argmax", "neg", "bitwise_not"], partial(_extreme, _mnemonic))


@CONVERSIONS("argmax", "argmin", to="argmax neg bitwise_not")
def _argmax(call: TorchOp) -> ir.Value:
    """Return the first of equal ones; the minimum is the maximum in reverse order."""
    x = call.tensor(0)
    if call.name.endswith("argmin"):
        x = _opposite(x)
    dims = None if call.is_none(1) else (call.integer(1),)
    return ttir.argmax(x, result=call.result, keep_dim=call.flag(2), dim_arg=dims)


@CONVERSIONS("cumsum", "cumprod", to="cumsum cumprod")
def _scan(call: TorchOp) -> ir.Value:
    """Scan along one dimension."""
    return ttir.build(call.name.rpartition(".")[2], cast(call.tensor(0), call.result.dtype), dim=call.integer(1))


@CONVERSIONS("softmax.int", "_softmax", to="softmax")
def _softmax(call: TorchOp) -> ir.Value:
    """Subtract the maximum first."""
    x = cast(call.tensor(0), call.result.dtype)
    return ttir.softmax(x, dimension=call.integer(1), numericStable=True)


@CONVERSIONS("log_softmax.int", "_log_softmax", to="subtract max exp sum log")
def _log_softmax(call: TorchOp) -> ir.Value:
    """Compute `x - log(sum(exp(x)))` of `x` minus its maximum."""
    x, dims, f = cast(call.tensor(0), call.result.dtype), (call.integer(1),), partial(elementwise, result=call.result)
    shifted = f("subtract", x, reduce("max", x, dims, keep=True))
    return f("subtract", shifted, f("log", reduce("sum", f("exp", shifted), dims, keep=True)))


@CONVERSIONS("logsumexp", to="subtract max exp sum log add reshape isfinite where")
def _logsumexp(call: TorchOp) -> ir.Value:
    """Add the maximum, if finite, to the logarithm of the remaining sum."""
    summed = log_of_sum(cast(call.tensor(0), call.result.dtype), call.integers(1))
    return reshape_to(summed, call.result.shape)


def log_of_sum(x: ir.Value, dims: tuple[int, ...]) -> ir.Value:
    """Return `log(sum(exp(x)))` over `dims`, which stay with extent 1."""
    f = partial(elementwise, result=read_type(x.type))
    largest = reduce("max", x, dims, keep=True)
    t = read_type(largest.type)
    largest = where(ttir.isfinite(largest, result=t.with_dtype(DType.I1)), largest, 0, t)
    rest = ttir.log(reduce("sum", f("exp", f("subtract", x, largest)), dims, keep=True))
    return elementwise("add", largest, rest, result=t)


@CONVERSIONS(*_VARIANCES, to="mean subtract square multiply sqrt reshape")
def _variance(call: TorchOp) -> list[ir.Value]:
    """Compute the corrected mean of squared distances from the mean."""
    x, dims, keep = call.tensor(0), _dims(call, 1), call.flag(3)
    t, correction = read_type(x.type), 1 if call.is_none(2) else call.number(2)
    f = partial(elementwise, result=t)
    mean = reduce("mean", x, dims, keep=True)
    variance = reduce("mean", f("square", f("subtract", x, mean)), dims, keep=keep)
    count = math.prod(t.shape[d] for d in axes(dims or None, t.rank))
    f = partial(elementwise, result=call.result)
    factor = count / (count - correction) if count > correction else math.inf
    variance = variance if correction == 0 else f("multiply", variance, factor)
    if "std" in call.name:
        return [f("sqrt", variance)]
    return [variance, reshape_to(mean, call.result.shape)][: len(call.results)]
