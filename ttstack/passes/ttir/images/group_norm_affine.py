"""Folding of factors and summands per channel into weight and bias of group norms."""

from ttstack.dialects.base import attribute_values, definition_of, operands_by_place
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.normalization import GroupNorm
from ttstack.passes.rewriting.pattern import Pattern
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.producers import find_producer


def _factor(op: ir.Operation) -> list[ir.Value] | None:
    """Fold a factor per channel into weight and bias of a group norm."""
    if (matched := _on_norm(op)) is None:
        return None
    norm, constant, (x, mask, weight, bias) = matched
    weight = constant if weight is None else ttir.multiply(weight, constant)
    bias = None if bias is None else ttir.multiply(bias, constant)
    return [ttir.build(GroupNorm.mnemonic, x, mask, weight, bias, **attribute_values(GroupNorm, norm))]


def _summand(op: ir.Operation) -> list[ir.Value] | None:
    """Fold a summand per channel into the bias of a group norm."""
    if (matched := _on_norm(op)) is None:
        return None
    norm, constant, (x, mask, weight, bias) = matched
    bias = constant if bias is None else ttir.add(bias, constant)
    return [ttir.build(GroupNorm.mnemonic, x, mask, weight, bias, **attribute_values(GroupNorm, norm))]


def _on_norm(op: ir.Operation) -> tuple[ir.Operation, ir.Value, list[ir.Value | None]] | None:
    """Return a group norm with one use, the constant per channel in one dimension, and the norm's operands."""
    for x, constant in (op.operands, reversed(op.operands)):
        norm = find_producer(x, GroupNorm.mnemonic)
        if norm is None or len(list(x.uses)) > 1 or not is_known(constant):
            continue
        t, whole = read_type(constant.type), definition_of(norm)
        assert isinstance(whole, GroupNorm)
        channels = whole.input.shape[-1]
        if whole.channel_dim % whole.input.rank == whole.input.rank - 1 and t.shape[-1:] == (t.size,) == (channels,):
            return norm, reshape_to(constant, (channels,)), list(operands_by_place(GroupNorm, norm))
    return None


AFFINE: tuple[tuple[str, Pattern], ...] = (("ttir.multiply", _factor), ("ttir.add", _summand))
"""Patterns that fold factors and summands into weight and bias of channels-last group norms."""
