"""Masks of attention that hide what comes after each query: no operand, but a property of the op."""

from typing import Any

import numpy as np

from ttstack.dialects.base import attribute_values, describe, operands_by_place
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.attention_scores import HIDDEN
from ttstack.passes.ttir.compile_time import elements

Array = np.ndarray[Any, Any]


class FoldMasks(Pass, name="fold-masks"):
    """Attention with a mask that is known to be causal becomes causal: half of the work, and no mask to read."""

    max_elements: int = 2**24
    """Larger masks, and larger steps to them, are not looked at."""

    def run(self, module: ir.Module) -> None:
        """Look at the mask of every attention; equal masks once."""
        for function in functions(module):
            verdicts: dict[ir.Value, bool] = {}
            for op in body(function):
                if op.name == f"ttir.{ScaledDotProductAttention.mnemonic}":
                    self._fold(op, verdicts)

    def _fold(self, op: ir.Operation, verdicts: dict[ir.Value, bool]) -> None:
        attention, (*inputs, mask, sink) = describe(op), operands_by_place(ScaledDotProductAttention, op)
        assert isinstance(attention, ScaledDotProductAttention)
        if mask is None or attention.sliding_window_size:
            return
        if mask not in verdicts:
            found = elements(self.max_elements).about(mask)
            verdicts[mask] = found is not None and _is_causal(found, (attention.query.shape[2], attention.key.shape[2]))
        if verdicts[mask]:
            attributes: dict[str, Any] = attribute_values(ScaledDotProductAttention, op) | {"is_causal": True}
            with ir.InsertionPoint(op), op.location:
                causal = ttir.named(attention.mnemonic, *inputs, None, sink, **attributes)
            op.results[0].replace_all_uses_with(causal)
            op.erase()


def _is_causal(mask: Array, scores: tuple[int, int]) -> bool:
    """Whether the mask adds nothing up to the query's own position, and hides all after it."""
    queries, keys = scores
    if queries != keys or queries == 1 or mask.shape[-2:] != scores:
        return False
    after = np.triu(np.ones(scores, bool), 1)
    return bool((mask[..., ~after] == 0).all() and (mask[..., after] <= HIDDEN).all())
