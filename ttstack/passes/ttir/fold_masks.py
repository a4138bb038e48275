"""Masks of attention that are known: those that hide nothing, and those that hide what comes after each query."""

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
    """Attention with a mask that is known to be causal becomes causal: half of the work, and no mask to read.

    One that is known to be 0 everywhere is left out.
    """

    max_elements: int = 2**24
    """Larger masks, and larger steps to them, are not looked at."""

    def run(self, module: ir.Module) -> None:
        """Look at the mask of every attention; equal masks once."""
        for function in functions(module):
            verdicts: dict[ir.Value, bool | None] = {}
            for op in body(function):
                if op.name == f"ttir.{ScaledDotProductAttention.mnemonic}":
                    self._fold(op, verdicts)

    def _fold(self, op: ir.Operation, verdicts: dict[ir.Value, bool | None]) -> None:
        attention, (*inputs, mask, sink) = describe(op), operands_by_place(ScaledDotProductAttention, op)
        assert isinstance(attention, ScaledDotProductAttention)
        if mask is None or attention.sliding_window_size:
            return
        if mask not in verdicts:
            found = elements(self.max_elements).about(mask)
            verdicts[mask] = None if found is None else _verdict(found, attention)
        if (causal := verdicts[mask]) is not None:
            attributes: dict[str, Any] = attribute_values(ScaledDotProductAttention, op) | {"is_causal": causal}
            with ir.InsertionPoint(op), op.location:
                without = ttir.build(attention.mnemonic, *inputs, None, sink, **attributes)
            op.results[0].replace_all_uses_with(without)
            op.erase()


def _verdict(mask: Array, attention: ScaledDotProductAttention) -> bool | None:
    """Whether attention without the mask is causal; None where it is not the same."""
    if not mask.any():
        return False
    return True if _is_causal(mask, (attention.query.shape[2], attention.key.shape[2])) else None


def _is_causal(mask: Array, scores: tuple[int, int]) -> bool:
    """Whether the mask adds nothing up to the query's own position, and hides all after it."""
    queries, keys = scores
    if queries != keys or queries == 1 or mask.shape[-2:] != scores:
        return False
    after = np.triu(np.ones(scores, bool), 1)
    return bool((mask[..., ~after] == 0).all() and (mask[..., after] <= HIDDEN).all())
