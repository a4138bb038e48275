"""Weight and bias of group norms, from factors and summands by channel that stand after them."""

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
    """A factor by channel on a group norm: of weight and bias."""
    if (matched := _on_norm(op)) is None:
        return None
    norm, constant, (x, mask, weight, bias) = matched
    weight = constant if weight is None else ttir.multiply(weight, constant)
    bias = None if bias is None else ttir.multiply(bias, constant)
    return [ttir.build(GroupNorm.mnemonic, x, mask, weight, bias, **attribute_values(GroupNorm, norm))]


def _summand(op: ir.Operation) -> list[ir.Value] | None:
    """A summand by channel on a group norm: of the bias."""
    if (matched := _on_norm(op)) is None:
        return None
    norm, constant, (x, mask, weight, bias) = matched
    bias = constant if bias is None else ttir.add(bias, constant)
    return [ttir.build(GroupNorm.mnemonic, x, mask, weight, bias, **attribute_values(GroupNorm, norm))]


def _on_norm(op: ir.Operation) -> tuple[ir.Operation, ir.Value, list[ir.Value | None]] | None:
    """The group norm that nothing else reads, what is known by channel as one dimension, and the norm's operands."""
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
"""Weight and bias of a group norm of channels last, from factors and summands after it."""
