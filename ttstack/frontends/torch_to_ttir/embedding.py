"""Lookups: rows picked by index, pooled or not."""

from ttstack.dialects.ttir.build import ttir
from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.frontends.torch_to_ttir.table import ConversionTable
from ttstack.mlir import ir

CONVERSIONS = ConversionTable()

_MODES = ("sum", "mean", "max")


@CONVERSIONS("embedding", to="embedding")
def _embedding(call: Call) -> ir.Value:
    """The row of each index."""
    return ttir("embedding", [call.tensor(1), call.tensor(0)])


_BAGS = ("embedding_bag", "embedding_bag.padding_idx", "_embedding_bag")


@CONVERSIONS(*_BAGS, to="embedding_bag")
def _embedding_bag(call: Call) -> list[ir.Value]:
    """Pooled rows; the other three results serve training and must not be used."""
    if any(call.used(i) for i in range(1, len(call.results))):
        call.refuse("is used for more than its pooled rows", "only the first result is computed")
    bags = ttir(
        "embedding_bag",
        [call.tensor(1), call.tensor(0), call.tensor(2), call.optional(6)],
        mode=_MODES[call.integer(4)],
        include_last_offset=call.flag(7),
        padding_idx=-1 if call.is_none(8) else call.integer(8),
    )
    return [bags] * len(call.results)
