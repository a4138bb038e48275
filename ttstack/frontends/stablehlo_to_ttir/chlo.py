"""Ops of `chlo`, and custom calls with the same names."""

from collections.abc import Mapping, Sequence
from functools import partial

from ttstack.dialects.base import create
from ttstack.dialects.ttir.build import elementwise
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable("chlo")

_UNARY = ("acos", "asin", "asinh", "atan", "erf", "erfc", "square", "tan")
_TOP_K = ("top_k", "@mhlo.topk", "@TopK")


def _unary(mnemonic: str, call: StablehloOp) -> ir.Value:
    return ttir.build(mnemonic, call.tensor(0))


for _mnemonic in _UNARY:
    CONVERSIONS.add([_mnemonic, f"@mhlo.{_mnemonic}"], [_mnemonic], partial(_unary, _mnemonic))


@CONVERSIONS("@mhlo.sinh", "@mhlo.cosh", to="exp neg add subtract multiply")
def _hyperbolic(call: StablehloOp) -> ir.Value:
    """Compute half the sum or difference of `exp(x)` and `exp(-x)`."""
    x = call.tensor(0)
    mnemonic = "add" if call.name.endswith("cosh") else "subtract"
    both = [ttir.exp(x), ttir.exp(ttir.neg(x))]
    return elementwise("multiply", ttir.build(mnemonic, *both), 0.5, result=call.result)


@CONVERSIONS("@mhlo.atanh", to="log1p neg subtract multiply")
def _atanh(call: StablehloOp) -> ir.Value:
    """Compute half of `log(1 + x) - log(1 - x)`."""
    x = call.tensor(0)
    logarithms = [ttir.log1p(x), ttir.log1p(ttir.neg(x))]
    return elementwise("multiply", ttir.subtract(*logarithms), 0.5, result=call.result)


@CONVERSIONS("@mhlo.acosh", to="square subtract sqrt add log")
def _acosh(call: StablehloOp) -> ir.Value:
    """Compute `log(x + sqrt(x + 1) * sqrt(x - 1))`."""
    x, t = call.tensor(0), read_type(call.tensor(0).type)
    roots = [ttir.sqrt(elementwise("add", x, one, result=t)) for one in (1.0, -1.0)]
    return ttir.log(ttir.add(x, ttir.multiply(*roots)))


@CONVERSIONS(*_TOP_K, to="topk")
def _top_k(call: StablehloOp) -> Sequence[ir.Value]:
    """Select along the last dimension."""
    _check_count(call, "k", -1)
    attributes = {"k": call.result.shape[-1], "dim": -1, "largest": call.flag("largest", default=True), "sorted": True}
    return _best(call, attributes)


def _check_count(call: StablehloOp, name: str, dim: int) -> None:
    if (said := call.says(name, "integer")) not in (None, call.result.shape[dim]):
        call.refuse(f"has a {name} of {said}, and {call.result.shape[dim]} results")


def _best(call: StablehloOp, attributes: Mapping[str, object]) -> Sequence[ir.Value]:
    positions = call.results[1] or call.refuse("gives positions of no known type")
    return create("ttir", "topk", [call.tensor(0)], attributes, results=[call.result, positions]).results


@CONVERSIONS("@ApproxTopK", to="topk permute")
def _approximate_top_k(call: StablehloOp) -> Sequence[ir.Value]:
    """Select exactly, which is a valid approximate answer."""
    if len(call.operands) != 4:
        call.refuse(f"has {len(call.operands)} operands, not values, positions and a start for each")
    dim = call.integer("reduction_dim")
    _check_count(call, "top_k", dim)
    call.leave("recall_target", "reduction_input_size_override", "is_fallback")
    if not call.flag("aggregate_to_topk", default=True):
        call.refuse("does not aggregate its answer", "call jax.lax.approx_max_k with aggregate_to_topk=True")
    largest = "_gt_" in str(call.attribute("called_computations"))
    attributes = {"k": call.result.shape[dim], "dim": dim, "largest": largest, "sorted": True}
    return _best(call, attributes)
