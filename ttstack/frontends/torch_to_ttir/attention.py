"""Attention as one op."""

import math
from collections.abc import Sequence

import numpy as np

from ttstack.dialects.base import create
from ttstack.dialects.ttir.build import broadcast_to, cast, elementwise, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.frontends.torch_to_ttir.training import ATTENTION
from ttstack.mlir import ir
from ttstack.ops.training import STATISTICS
from ttstack.ops.types import DType

CONVERSIONS = TorchConversionTable()

_MATRICES = 3
"""Rank of the heads of one sample."""


@CONVERSIONS("scaled_dot_product_attention", to="scaled_dot_product_attention reshape where broadcast")
def _attention(call: TorchOp) -> ir.Value:
    """Merge all dimensions before heads; a bool mask becomes 0 and -inf to add."""
    if call.number(4) != 0:
        call.refuse("drops values out", ATTENTION)
    query, key, value = (_with_heads(call, call.tensor(i)) for i in range(3))
    mask = call.optional(3)
    scale = None if call.is_none(6) else float(call.number(6))
    attended = ttir.scaled_dot_product_attention(
        query,
        key,
        value,
        None if mask is None else _additive(mask, query, call.result.shape),
        is_causal=call.flag(5),
        scale=scale,
    )
    return reshape_to(attended, call.result.shape)


def _with_heads(call: TorchOp, x: ir.Value) -> ir.Value:
    """Return [batch, heads, length, width]: 1 head for fewer dimensions, merged leading dimensions for more."""
    shape = read_type(x.type).shape
    if len(shape) < len("lw"):
        call.refuse(f"is on {len(shape)} dimension", "reshape to (batch, heads, length, width)")
    lead = np.broadcast_shapes(*(read_type(call.tensor(i).type).shape[:-_MATRICES] for i in range(3)))
    if len(shape) > _MATRICES and shape[:-_MATRICES] != lead:
        x = broadcast_to(x, (*lead, *shape[-_MATRICES:]))
    return reshape_to(x, _four(read_type(x.type).shape))


def _additive(mask: ir.Value, query: ir.Value, whole: Sequence[int]) -> ir.Value:
    """Return an additive mask in four dimensions, for scores of queries of shape `whole`."""
    t, dtype = read_type(mask.type), read_type(query.type).dtype
    shape = (1,) * (len(whole) - t.rank) + t.shape
    mask, lead = reshape_to(mask, shape), tuple(whole[:-_MATRICES])
    if any(extent > 1 for extent in shape[:-_MATRICES]) and shape[:-_MATRICES] != lead:
        mask = broadcast_to(mask, (*lead, *shape[-_MATRICES:]))
    t = read_type(mask.type)
    four = t.with_shape(_four(t.shape))
    mask = reshape_to(mask, four.shape)
    if t.dtype is DType.I1:
        return where(mask, 0.0, -math.inf, four.with_dtype(dtype))
    return cast(mask, dtype)


def _four(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape in four dimensions: unit dimensions before the last two, or merged leading ones."""
    if len(shape) <= _MATRICES:
        return (*shape[:-2], *(1,) * (_MATRICES + 1 - len(shape)), *shape[-2:])
    return (math.prod(shape[:-_MATRICES]), *shape[-_MATRICES:])


@CONVERSIONS("_scaled_dot_product_flash_attention_for_cpu", to="sdpa_fw multiply slice_static reshape")
def _training_forward(call: TorchOp) -> list[ir.Value]:
    """Use one op, with the log-sum-exps of the scores if a backward pass uses them."""
    if call.number(3) != 0:
        call.refuse("drops values out", ATTENTION)
    heads = [_scaled(call, call.tensor(0), 6), call.tensor(1), call.tensor(2)]
    mask, kind = _mask_of(call, call.optional(5), is_causal=call.flag(4))
    made = create("ttir", "sdpa_fw", [*heads, mask], {"mask_type": kind, "return_intermediates": True})
    line = call.results[1]
    assert line is not None
    return [made.results[0], cast(reshape_to(slice_along(made.results[1], 3, 0, 1), line.shape), line.dtype)]


@CONVERSIONS("_scaled_dot_product_flash_attention_for_cpu_backward", to="sdpa_bw multiply reshape broadcast")
def _training_backward(call: TorchOp) -> list[ir.Value]:
    """Use one op, from the log-sum-exps of the forward pass."""
    gradient, query, key, value, out, line = (call.tensor(i) for i in range(6))
    mask, kind = _mask_of(call, call.optional(8), is_causal=call.flag(7))
    shape = (*read_type(query.type).shape[:-1], STATISTICS)
    sums = broadcast_to(reshape_to(cast(line, DType.F32), (*shape[:-1], 1)), shape)
    operands = [gradient, out, _scaled(call, query, 9), key, value, sums, mask]
    made = create("ttir", "sdpa_bw", operands, {"mask_type": kind})
    return [_scaled(call, made.results[0], 9), made.results[1], made.results[2]]


def _mask_of(call: TorchOp, mask: ir.Value | None, *, is_causal: bool) -> tuple[ir.Value | None, str]:
    """Return the additive mask and its kind."""
    if mask is None:
        return None, "causal" if is_causal else "none"
    return _additive(mask, call.tensor(0), read_type(call.tensor(0).type).shape), "arbitrary"


def _scaled(call: TorchOp, query: ir.Value, i: int) -> ir.Value:
    """Return the query times the scale in operand `i`, relative to the root of the depth."""
    t = read_type(query.type)
    factor = 1.0 if call.is_none(i) else float(call.number(i)) * math.sqrt(t.shape[-1])
    return query if math.isclose(factor, 1) else elementwise("multiply", query, factor, result=t)
