"""Lookups: rows picked by index, pooled or not."""

from ttstack.dialects.base import describe
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

_MODES = ("sum", "mean", "max")


@CONVERSIONS("embedding", to="embedding")
def _embedding(call: TorchOp) -> ir.Value:
    """The row of each index."""
    return ttir.embedding(call.tensor(1), call.tensor(0))


_BAGS = ("embedding_bag", "embedding_bag.padding_idx", "_embedding_bag")


@CONVERSIONS(*_BAGS, to="embedding_bag")
def _embedding_bag(call: TorchOp) -> list[ir.Value]:
    """Pooled rows; the other three results serve training and must not be used."""
    if any(call.is_used(i) for i in range(1, len(call.results))):
        call.refuse("is used for more than its pooled rows", "only the first result is computed")
    weights, rows = call.optional(6), None
    if weights is None and not call.flag(7):
        rows = _bag_a_row(call.tensor(1), call.tensor(2))
    bags = ttir.embedding_bag(
        rows or call.tensor(1),
        call.tensor(0),
        None if rows else call.tensor(2),
        weights,
        mode=_MODES[call.integer(4)],
        include_last_offset=call.flag(7),
        padding_idx=-1 if call.is_none(8) else call.integer(8),
    )
    return [bags] * len(call.results)


def _bag_a_row(indices: ir.Value, offsets: ir.Value) -> ir.Value | None:
    """The matrix whose rows are the bags, where PyTorch has made one vector and its offsets of it."""
    flat, steps = defining_op(indices, "ttir.reshape"), defining_op(offsets, "ttir.arange")
    if flat is None or steps is None:
        return None
    matrix = flat.operands[0]
    shape, counts = matrix.type.shape, describe(steps).attributes()
    whole = len(shape) == 2 and offsets.type.shape == shape[:1] and len(indices.type.shape) == 1
    return matrix if whole and (counts["start"], counts["step"]) == (0, shape[1]) else None
