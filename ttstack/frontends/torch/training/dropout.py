"""Dropout in a step: masks are computed from a seed and the step number, both state of the program.

The mask of each op is a custom operator, `ttstack::dropout_mask`, which autograd keeps for the backward pass.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch._ops import OpOverload
from torch.export import ExportedProgram

KEY = "dropout.key"
"""The key of a step's masks: a seed, and the number of earlier steps."""

_aten = torch.ops.aten

torch.library.define("ttstack::dropout_mask", "(Tensor key, int first_row, int[] shape, float p) -> Tensor")


@torch.library.register_fake("ttstack::dropout_mask")
def _(key: torch.Tensor, _row: int, shape: list[int], _p: float) -> torch.Tensor:
    return key.new_empty(shape, dtype=torch.bool)


def new_state(seed: int) -> dict[str, torch.Tensor]:
    """Return the state before the first step, by name."""
    return {KEY: torch.tensor([seed, 0], dtype=torch.int32)}


@dataclass
class Dropouts:
    """The dropout ops of one step, in the order in which they run; rows of their masks are numbered consecutively."""

    key: torch.Tensor
    rows: int = 0

    @classmethod
    def of_step(cls, state: Mapping[str, torch.Tensor]) -> "Dropouts":
        """Create those of the step of `state`, and advance `state` to the next step."""
        key = state[KEY].clone()
        state[KEY].add_(torch.arange(2, dtype=key.dtype))
        return cls(key)

    def mask(self, shape: tuple[int, ...], p: float) -> torch.Tensor:
        """Return the mask of the next op's elements: each is kept with probability `1 - p`."""
        drawn = torch.ops.ttstack.dropout_mask(self.key, self.rows, list(shape or (1,)), p)
        self.rows += math.prod(shape[:-1])
        return drawn.view(shape)

    def dropout(self, x: torch.Tensor, p: float, train: bool) -> torch.Tensor:
        """Compute `aten.dropout`."""
        return self._drop(x, tuple(x.shape), p) if train else x

    def feature_dropout(self, x: torch.Tensor, p: float, train: bool) -> torch.Tensor:
        """Compute `aten.feature_dropout`: drop whole channels."""
        return self._drop(x, (*x.shape[:2], *(1,) * (x.dim() - 2)), p) if train else x

    def attention(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None = None,
        p: float = 0.0,
        is_causal: bool = False,
        **options: Any,
    ) -> torch.Tensor:
        """Compute `aten.scaled_dot_product_attention`; with dropout, in decomposed form."""
        if not p:
            return _aten.scaled_dot_product_attention(query, key, value, mask, p, is_causal, **options)
        _, weights = _aten._scaled_dot_product_attention_math(query, key, value, mask, 0.0, is_causal, **options)
        if options.get("enable_gqa"):
            value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
        return self._drop(weights, tuple(weights.shape), p) @ value

    def _drop(self, x: torch.Tensor, shape: tuple[int, ...], p: float) -> torch.Tensor:
        if p in (0, 1):
            return x * (1 - p)
        return torch.where(self.mask(shape, p), x / (1 - p), 0)


DROPPING: Mapping[OpOverload, Callable[..., torch.Tensor]] = {
    _aten.dropout.default: Dropouts.dropout,
    _aten.feature_dropout.default: Dropouts.feature_dropout,
    _aten.scaled_dot_product_attention.default: Dropouts.attention,
}
"""Replacements of PyTorch's dropout ops."""


def drops(forward: ExportedProgram) -> bool:
    """Return True if the forward pass has dropout."""
    return any(_is_active(node) for node in forward.graph.nodes if node.target in DROPPING)


def _is_active(node: fx.Node) -> bool:
    """Return True if the op drops some elements, but not all."""
    names = (argument.name for argument in node.target._schema.arguments)  # type: ignore[union-attr]
    given: dict[str, Any] = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    return given.get("train", True) and 0 < given.get("p", given.get("dropout_p", 0)) < 1
