"""Tokens drawn from scores, in PyTorch's spellings: the best of a vocabulary are sought in parts of its rows."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

Draw = Callable[[Tensor, Tensor], Tensor]
USERS, VOCABULARY, BEST = 5, 6000, 20


def by_sums(scores: Tensor, noise: Tensor) -> Tensor:
    """The best, and of these the first whose sum of probabilities exceeds a number."""
    values, tokens = torch.topk(scores, BEST)
    sums = values.softmax(-1).cumsum(-1)
    return tokens.gather(-1, (sums < noise[:, :1]).sum(-1, keepdim=True).clamp(max=BEST - 1))


def by_threshold(scores: Tensor, noise: Tensor) -> Tensor:
    """gpt-fast: all below the last of the best are hidden."""
    last = torch.topk(scores, BEST).values[:, -1:]
    hidden = torch.where(scores < last, float("-inf"), scores)
    return (hidden.softmax(-1) / noise).argmax(-1)


def of_probability(scores: Tensor, noise: Tensor) -> Tensor:
    """transformers: the least likely, of a tenth together, are hidden."""
    ordered, tokens = scores.sort(descending=False)
    hidden = ordered.softmax(-1).cumsum(-1) <= 0.1
    hidden[:, -1:] = False
    kept = scores.masked_fill(hidden.scatter(1, tokens, hidden), float("-inf"))
    return (kept.softmax(-1) / noise).argmax(-1)


def of_best_and_probability(scores: Tensor, noise: Tensor) -> Tensor:
    """Both: of the best, the fewest of nine tenths."""
    values, tokens = torch.topk(scores, BEST)
    shares = values.softmax(-1)
    kept = values.masked_fill(shares.cumsum(-1) - shares > 0.9, float("-inf"))
    return tokens.gather(-1, (kept.softmax(-1) / noise[:, :BEST]).argmax(-1, keepdim=True))


class Sampler(nn.Module):
    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self.draw = draw

    def forward(self, scores: Tensor, noise: Tensor) -> Tensor:
        return self.draw(scores / 0.7, noise)


def compile_and_run(draw: Draw, without: str | tuple[()] = ()) -> ttstack.Program:
    torch.manual_seed(0)
    model, inputs = Sampler(draw), (torch.randn(USERS, VOCABULARY), torch.rand(USERS, VOCABULARY))
    program = ttstack.compile(model, inputs, without=without)
    run = program.run(dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True)))
    (got,) = run.outputs.values()
    np.testing.assert_array_equal(got, model(*inputs).numpy())
    return program


@pytest.mark.parametrize("draw", [by_sums, by_threshold, of_best_and_probability])
def test_the_best_are_sought_in_parts(draw: Draw):
    program, whole = compile_and_run(draw), compile_and_run(draw, without="split-topk")
    times = [
        sum(op.elapsed_ns for op in p.cost().ops if op.name in ("topk", "reshape", "gather", "add"))
        for p in (program, whole)
    ]
    counts = [[op.name for op in p.cost().ops].count("topk") for p in (program, whole)]
    assert counts[0] > counts[1] == 1
    assert times[0] < 0.4 * times[1]


def test_the_most_likely_of_a_share_are_drawn_from():
    program = compile_and_run(of_probability)
    text = program.to_python()
    assert "ttnn.sort(" in text
    assert "ttnn.scatter(" in text


@pytest.mark.parametrize(("largest", "shape"), [(False, (2, 3, 4096)), (True, (40, 2048)), (True, (4099,))])
def test_values_and_places_are_those_of_the_whole_row(largest: bool, shape: tuple[int, ...]):
    """The smallest, more rows than a tile has, and rows that no part divides."""

    class Best(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            values, places = torch.topk(x, 7, largest=largest)
            return values, places

    torch.manual_seed(0)
    x = torch.randn(shape)
    program = ttstack.compile(Best(), (x,))
    run = program.run({name: x.numpy() for name in program.inputs()})
    for got, want in zip(run.outputs.values(), Best()(x), strict=True):
        np.testing.assert_array_equal(got, want.numpy())
