"""Numbers that products are multiplied by go into their weights: values, what stays, and which ops are left."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.compiled_program import Program


class Scores(nn.Module):
    """Weights of attention, as a model that returns them spells them."""

    def __init__(self, scale: Callable[[torch.Tensor], torch.Tensor], *, on_scores: bool = True) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.query, self.key, self.value = (nn.Linear(128, 128) for _ in range(3))
        self.scale, self.on_scores = scale, on_scores

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        query, key, value = (
            made(x).unflatten(-1, (4, 32)).transpose(1, 2) for made in (self.query, self.key, self.value)
        )
        if not self.on_scores:
            query = self.scale(query)
        scores = query @ key.transpose(-1, -2)
        weights = (self.scale(scores) if self.on_scores else scores).softmax(-1)
        return weights @ value, weights


def compiled(model: nn.Module, **options: Any) -> tuple[Program, torch.Tensor]:
    torch.manual_seed(1)
    x = torch.randn(2, 64, 128)
    return ttstack.compile(model.eval(), (x,), **options), x


def names(program: Program) -> list[str]:
    return [op.name for op in program.cost().ops]


def check_values(program: Program, model: nn.Module, x: torch.Tensor) -> None:
    with torch.no_grad():
        wanted = model(x)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for found, given in zip(program.run({"x": x.numpy()}).outputs.values(), wanted, strict=True):
        assert np.abs(found - given.numpy()).max() < 1e-4 * np.abs(given.numpy()).max()


@pytest.mark.parametrize("scale", [lambda x: x * 32**-0.5, lambda x: x / 32**0.5, lambda x: 0.125 * x])
@pytest.mark.parametrize("on_scores", [True, False])
def test_weights_of_attention_are_scaled_by_what_queries_are_made_of(
    scale: Callable[[torch.Tensor], torch.Tensor], *, on_scores: bool
):
    model = Scores(scale, on_scores=on_scores)
    program, x = compiled(model)
    assert not {"multiply", "div"} & {*names(program)}
    check_values(program, model, x)
    apart, _ = compiled(model, without="fold-scale-into-weights")
    assert {"multiply", "div"} & {*names(apart)}
    assert program.cost().total_ns < apart.cost().total_ns


class Plain(nn.Module):
    """A product that is scaled, of which the rest says more."""

    def __init__(self, rest: Callable[[Any, torch.Tensor, torch.Tensor], Any]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.made, self.rest = nn.Linear(128, 96), rest

    def forward(self, x: torch.Tensor) -> Any:
        return self.rest(self, x, self.made(x))


@pytest.mark.parametrize(
    "rest",
    [
        lambda _, x, y: (y * 2.5, y + 1),
        lambda _, x, y: y.relu() * 2.5,
        lambda m, x, y: (y * 2.5) @ m.made.weight,
        lambda _, x, y: y * torch.inf,
        lambda _, x, y: y * torch.arange(96.0),
    ],
    ids=["read elsewhere", "activation between", "weight read elsewhere", "infinite", "a number for each column"],
)
def test_what_cannot_be_folded_stays(rest: Callable[[Any, torch.Tensor, torch.Tensor], Any]):
    with_pass, _ = compiled(Plain(rest))
    without, _ = compiled(Plain(rest), without="fold-scale-into-weights")
    assert names(with_pass) == names(without)


def test_a_bias_is_scaled_too():
    model = Plain(lambda _, x, y: y.unflatten(-1, (3, 32)).transpose(1, 2) * -0.5)
    program, x = compiled(model)
    assert "multiply" not in names(program)
    check_values(program, model, x)
