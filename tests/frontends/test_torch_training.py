"""Models that train, or hold what serves training: what is said, and that it helps."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

import ttstack
from ttstack.diagnostics import TTStackError


class Function(nn.Module):
    """A module that calls a function, with a layer of its own."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function, self.layer = function, nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> object:
        return self.function(self, x)


def _step(model: Function, x: torch.Tensor) -> object:
    model.layer(x).sum().backward()
    return model.layer.weight.grad


CASES = [
    (lambda _, x: F.dropout(x), "is in training mode", "pass training=self.training"),
    (lambda _, x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.5), "drops values out", "pass 0.0 unless"),
    (_step, "computes gradients, which is training", "leave out backward()"),
]


@pytest.mark.parametrize(("function", "message", "hint"), CASES)
def test_a_model_in_eval_mode_is_told_what_helps(function: Callable[..., object], message: str, hint: str):
    with pytest.raises(TTStackError, match=message) as e:
        ttstack.compile(Function(function).eval(), (torch.ones(2, 4),))
    assert hint in (e.value.diagnostic.hint or "")


def test_what_is_said_of_dropout_helps():
    ttstack.compile(Function(lambda model, x: F.dropout(x, training=model.training)).eval(), (torch.ones(2, 4),))
