"""A mask that is computed in parts, of what may differ alone, has the structure of all its elements."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from ttstack.dialects.base import operands_by_place
from ttstack.frontends.source import import_model
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.mask_rows import MaskRows, read_structure
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.facts.constant_masks import ConstantMasks
from ttstack.passes.ttir.facts.mask_elements import MaskElements
from ttstack.passes.ttir.queries.compile_time import elements
from ttstack.passes.weights import Weights

LENGTH = 700
AT = torch.arange(LENGTH)
OF = torch.repeat_interleave(torch.arange(4), torch.tensor([130, 250, 20, 300]))
RULES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "causal": lambda q, k: k <= q,
    "window": lambda q, k: (k <= q) & (k > q - 200),
    "distance": lambda q, k: abs(q - k) < 150,
    "not far": lambda q, k: ~(abs(q - k) > 150),
    "prefix": lambda q, k: (k <= q) | (k < 333),
    "documents": lambda q, k: OF[q] == OF[k],
    "other documents": lambda q, k: (OF[q] != OF[k]) ^ (k < 64),
    "every ninth": lambda q, k: (k <= q) & ((q - k) % 9 == 0),
    "heads": lambda q, k: (k <= q) & (k > q - torch.tensor([50, 400])[:, None, None]),
    "padding": lambda q, k: (k < 500).expand(LENGTH, LENGTH),
    "added": lambda q, k: (1.0 - (k <= q).float()) * -1e4,
    "linear biases": lambda q, k: torch.where(k <= q, 0.25 * (k - q), -torch.inf),
    "no numbers": lambda q, k: torch.where((k - q).float().sqrt() >= 5, 0.0, -torch.inf),
    "signs by factors": lambda q, k: ((q - 300) * (k - 300)).clamp(-9, 9) > 0,
    "nothing seen at first": lambda q, k: (k < q) & (q > 200),
}


class Attention(nn.Module):
    """Attention with a mask that is computed from places."""

    def __init__(self, rule: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.rule = rule

    def mask(self) -> Tensor:
        found = self.rule(AT[:, None], AT[None])
        return found.reshape((1,) * (4 - found.dim()) + found.shape)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=self.mask())


@contextmanager
def imported(rule: Callable[[Tensor, Tensor], Tensor]) -> Generator[ir.Value]:
    """The mask of attention by that rule, in a module that is there meanwhile."""
    with import_model(Attention(rule), (torch.zeros(1, 2, LENGTH, 8),)) as found:
        (function,) = functions(found.module)
        (op,) = (op for op in body(function) if op.name == "ttir.scaled_dot_product_attention")
        *_, mask, _ = operands_by_place(ScaledDotProductAttention, op)
        assert mask is not None
        yield mask


@pytest.mark.parametrize("name", RULES)
def test_its_structure_is_that_of_all_elements(name: str):
    elements = Attention(RULES[name]).mask().numpy()
    wanted = read_structure(elements.shape, [MaskRows(elements, np.arange(LENGTH))], 9984.0)
    with imported(RULES[name]) as mask:
        for most in (2**15, 2**24):
            assert ConstantMasks(most, Weights(), []).structure(mask, LENGTH, LENGTH) == wanted


@pytest.mark.parametrize(("name", "share"), [("causal", 0.2), ("documents", 0.3), ("every ninth", 0.6)])
def test_what_may_differ_alone_is_computed(name: str, share: float):
    with imported(RULES[name]) as mask:
        rows = list(MaskElements(LENGTH, LENGTH, 2**15, elements()).rows(mask, (1, 1)))
    made = sum(0 if part is None else part.elements.size for part in rows)
    assert 0 < made < share * LENGTH**2
