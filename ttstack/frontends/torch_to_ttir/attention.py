"""Attention, whole."""

import math

from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import cast
from ttstack.frontends.torch_to_ttir.eltwise import where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.frontends.torch_to_ttir.training import ATTENTION
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("scaled_dot_product_attention", to="scaled_dot_product_attention reshape where")
def _attention(call: TorchOp) -> ir.Value:
    """Four dimensions; a mask of bools becomes 0 and -inf to add."""
    if call.number(4) != 0:
        call.refuse("drops values out", ATTENTION)
    query, key, value = (_with_heads(call, call.tensor(i)) for i in range(3))
    mask = call.optional(3)
    scale = None if call.is_none(6) else float(call.number(6))
    attended = ttir.scaled_dot_product_attention(
        query,
        key,
        value,
        None if mask is None else _additive(mask, query, call.result.rank),
        is_causal=call.flag(5),
        scale=scale,
    )
    return reshape_to(attended, call.result.shape)


def _with_heads(call: TorchOp, x: ir.Value) -> ir.Value:
    """[batch, length, width] with one head, or [length, width] with one of both."""
    shape = read_type(x.type).shape
    if not 2 <= len(shape) <= 4:
        call.refuse(f"is on {len(shape)} dimensions", "reshape to (batch, heads, length, width)")
    return reshape_to(x, _insert(shape))


def _additive(mask: ir.Value, query: ir.Value, rank: int) -> ir.Value:
    t, dtype = read_type(mask.type), read_type(query.type).dtype
    shape = _insert((1,) * (rank - t.rank) + t.shape)
    mask = reshape_to(mask, shape)
    if t.dtype is DType.I1:
        return where(mask, 0.0, -math.inf, t.with_shape(shape).with_dtype(dtype))
    return cast(mask, dtype)


def _insert(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Four dimensions: ones before the last two."""
    return (*shape[:-2], *(1,) * (4 - len(shape)), *shape[-2:])
