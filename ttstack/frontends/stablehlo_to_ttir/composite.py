"""Composites of Tenstorrent's JAX and PyTorch frontends, and the calls that tt-mlir replaces them by."""

from collections.abc import Sequence
from functools import partial

from ttstack.dialects.base import create
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.named import Named, fit_results, register_op
from ttstack.frontends.stablehlo_to_ttir.operands import known_elements
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = StablehloConversionTable()

_GELU = {"none": "gelu", "tanh": "gelu_tanh"}


def _gelu(meant: Sequence[str], call: StablehloOp) -> list[ir.Value]:
    """Use the call's approximation, or that of its name, the first in `meant`."""
    said = call.says("approximate", "string") or meant[0]
    if said not in meant:
        call.refuse(f"is approximate = {said!r}, expected {' or '.join(meant)}")
    return Named(_GELU[said], "input", {}).convert(call)


for _name, _meant in (("gelu", ("none", "tanh")), ("gelu_tanh", ("tanh",))):
    CONVERSIONS.add([f"@tenstorrent.{_name}"], [_GELU[said] for said in _meant], partial(_gelu, _meant))
for _name in ("layer_norm", "rms_norm"):
    register_op(CONVERSIONS, f"@tenstorrent.{_name}", _name, "input weight? bias?")
register_op(CONVERSIONS, "@tenstorrent.distributed_rms_norm", "distributed_rms_norm", "input weight? residual?")
register_op(CONVERSIONS, "@tt.sampling", "sampling", "input_values input_indices k p temp")

_GROUP_NORM = Named("group_norm", "input weight? bias?", {"channel_dim": 1})


@CONVERSIONS("@tenstorrent.group_norm", to="group_norm reshape")
def _group_norm(call: StablehloOp) -> list[ir.Value]:
    """Append unit dimensions to a tensor of rank below 4."""
    found = _GROUP_NORM.operands(call)
    shape = read_type(found["input"].type).shape
    found["input"] = reshape_to(found["input"], (*shape, *(1,) * (4 - len(shape))))
    (result,) = _GROUP_NORM.build(call, found).results
    return fit_results(call, [reshape_to(result, shape)])


_TOP_K = {"topk": (0, 1), "topk_values": (0,), "topk_indices": (1,)}
"""By name, the results of a call: values (0) and positions (1)."""


def _top_k(given: Sequence[int], call: StablehloOp) -> list[ir.Value]:
    """Select the best along a dimension: values, positions, or both."""
    form = Named("topk", "input_tensor", {"k": 1})
    positions = (call.results[-1] if 1 in given else None) or call.result.with_dtype(DType.I32)
    attributes = form.attributes(call)
    both = create("ttir", "topk", [call.tensor(0)], attributes, results=[call.result, positions]).results
    return fit_results(call, [both[i] for i in given])


for _name, _given in _TOP_K.items():
    CONVERSIONS.add([f"@tenstorrent.{_name}"], ["topk"], partial(_top_k, _given))


@CONVERSIONS("@tt.topk_large_indices", to="topk")
def _top_k_indices(call: StablehloOp) -> list[ir.Value]:
    """Return the positions of the best of each row."""
    return _top_k((1,), call)


@CONVERSIONS("@tenstorrent.argmax", to="argmax")
def _argmax(call: StablehloOp) -> list[ir.Value]:
    """Reduce one dimension, by default the last."""
    dim = call.says("dim", "integer")
    attributes = {"dim_arg": (-1 if dim is None else dim,), "keep_dim": bool(call.says("keepdim"))}
    return fit_results(call, [ttir.argmax(call.tensor(0), result=call.result, **attributes)])


@CONVERSIONS("@tenstorrent.gather", "@tenstorrent.gather_dim", to="gather")
def _gather(call: StablehloOp) -> list[ir.Value]:
    """Gather as `torch.gather`."""
    return fit_results(call, [ttir.gather(call.tensor(0), call.tensor(1), dim=call.integer("dim"))])


@CONVERSIONS("@tenstorrent.uniform", to="rand")
def _uniform(call: StablehloOp) -> ir.Value:
    """Draw samples between two constants, with seed 0 and the result's shape."""
    call.leave("shape", "dtype")
    low, high = (_number(call, i, name) for i, name in ((1, "low"), (2, "high")))
    return ttir.rand(result=call.result, size=call.result.shape, low=low, high=high)


_ADAMW = Named("adamw", "param grad exp_avg exp_avg_sq lr beta1_pow beta2_pow max_exp_avg_sq?", {})


@CONVERSIONS("@tenstorrent.adamw", to="adamw")
def _adamw(call: StablehloOp) -> list[ir.Value]:
    """Compute a step with constant rate and powers of the betas."""
    found = _ADAMW.operands(call)
    rates = {name: _number(call, 4 + i, name) for i, name in enumerate(("lr", "beta1_pow", "beta2_pow"))}
    return fit_results(call, list(_ADAMW.build(call, found, **rates).results))


def _number(call: StablehloOp, i: int, name: str) -> float:
    values = known_elements(call.tensor(i))
    if values is None or values.size != 1:
        call.refuse(f"has a {name} that the program computes", "give it as a constant")
    return float(values.reshape(-1)[0])


_MASKS = ("none", "causal", "arbitrary")
_FORWARD = Named("sdpa_fw", "query key value attention_mask?", {})
_BACKWARD = Named("sdpa_bw", "grad_output attn_output query key value intermediates attention_mask?", {})


@CONVERSIONS("@tenstorrent.sdpa_fw", to="sdpa_fw")
def _attention_forward(call: StablehloOp) -> list[ir.Value]:
    """Compute attention, and the log-sum-exps for a second result."""
    wanted = {"return_intermediates": len(call.results) == 2}
    return fit_results(call, list(_FORWARD.build(call, _FORWARD.operands(call), **wanted, **_mask_type(call)).results))


@CONVERSIONS("@tenstorrent.sdpa_bw", to="sdpa_bw")
def _attention_backward(call: StablehloOp) -> list[ir.Value]:
    """Compute gradients of query, key and value."""
    return fit_results(call, list(_BACKWARD.build(call, _BACKWARD.operands(call), **_mask_type(call)).results))


def _mask_type(call: StablehloOp) -> dict[str, str]:
    """Return the kind of mask for a number."""
    kind = call.says("mask_type", "integer")
    if kind is None:
        return {}
    if kind not in range(len(_MASKS)):
        call.refuse(f"has a mask_type of {kind}, expected 0 to {len(_MASKS) - 1}")
    return {"mask_type": _MASKS[kind]}
