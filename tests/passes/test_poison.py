"""What is not finite in one sample stays where it is without rewrites: zeros of a rewrite meet only finite numbers."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from benchmarks.random_models.draw import GRAPH, draw
from ttstack.passes.pipelines import optional_passes

pytestmark = [
    pytest.mark.filterwarnings("ignore:The tensor attributes self.*_flat_weights"),
    pytest.mark.filterwarnings("ignore:overflow encountered"),
    pytest.mark.filterwarnings("ignore:invalid value encountered"),
]

Array = np.ndarray[Any, Any]
Inputs = tuple[Tensor, ...]
POISONS = (float("inf"), float("-inf"), float("nan"))


class Pooled(nn.Module):
    """Images of 49 pixels after a convolution, and their mean or sum."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind, self.conv = kind, nn.Conv2d(64, 64, 1)

    def forward(self, x: Tensor) -> Tensor:
        """[images, 64, 7, 7] to [images, 64]."""
        found = self.conv(x)
        return found.mean((2, 3)) if self.kind == "mean" else found.sum((2, 3))


class GivenTables(nn.Module):
    """Sums of bags of rows of four tables, which are inputs."""

    def forward(self, *given: Tensor) -> Tensor:
        """Four tables, four lists of indices, and where bags begin, to the bags of each concatenated."""
        *lists, starts = given[4:]
        bags = [nn.functional.embedding_bag(i, t, starts, mode="sum") for t, i in zip(given[:4], lists, strict=True)]
        return torch.cat(bags, 1)


class Cut(nn.Module):
    """A layer that reads the first 72 of 96 columns of two parts."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(144, 64)

    def forward(self, x: Tensor) -> Tensor:
        """[rows, 2, 96] to [rows, 64]."""
        return self.layer(x[..., :72].flatten(1))


class Heads(nn.Module):
    """Attention with heads of 72, which are filled up to tiles."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(144, 3 * 144), nn.Linear(144, 144)

    def forward(self, x: Tensor) -> Tensor:
        """[samples, tokens, 144] to the same."""
        q, k, v = (t.unflatten(-1, (2, 72)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        return self.out(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class SeparateHeads(Heads):
    """The same of matmuls, with weights that are scaled again after softmax."""

    def forward(self, x: Tensor) -> Tensor:
        """[samples, tokens, 144] to the same."""
        q, k, v = (t.unflatten(-1, (2, 72)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        weights = (q @ k.transpose(-2, -1)).softmax(-1).sqrt()
        return self.out((weights @ v).transpose(1, 2).flatten(2))


def _images() -> Inputs:
    return (torch.randn(4, 64, 7, 7),)


def _tables() -> Inputs:
    starts = torch.cat([torch.tensor([0]), torch.randint(0, 256, (95,)).sort().values])
    return (*(torch.randn(40, 64) for _ in range(4)), *(torch.randint(0, 40, (256,)) for _ in range(4)), starts)


REWRITTEN: Mapping[str, Callable[[], tuple[nn.Module, Inputs]]] = {
    "reduce-rows-by-pooling, mean": lambda: (Pooled("mean"), (torch.randn(16, 64, 7, 7),)),
    "reduce-rows-by-pooling, sum": lambda: (Pooled("sum"), (torch.randn(16, 64, 7, 7),)),
    "a few images": lambda: (Pooled("mean"), _images()),
    "tables that are given": lambda: (GivenTables(), _tables()),
    "fold-padding-into-weights": lambda: (Cut(), (torch.randn(4, 2, 96),)),
    "heads of 72": lambda: (Heads(), (torch.randn(3, 5, 144),)),
    "pad-heads": lambda: (SeparateHeads(), (torch.randn(3, 40, 144),)),
}


def _drawn(kind: str, number: int) -> tuple[nn.Module, Inputs]:
    example = draw(5, number, kind)
    return example.model, example.inputs


DRAWN = {
    **{f"{kind} {n}": (kind, n) for kind in ("selective", "linear", "mixing") for n in range(2)},
    **{f"{kind} {n}": (kind, n) for kind in ("attention", GRAPH) for n in range(9)},
}


@pytest.mark.parametrize("case", [*REWRITTEN, *DRAWN])
def test_nothing_but_what_a_poisoned_element_reaches_changes(case: str):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model, inputs = REWRITTEN[case]() if case in REWRITTEN else _drawn(*DRAWN[case])
    model.eval().requires_grad_(False)
    exported = torch.export.export(model, inputs)
    rewrites = (None, tuple(optional_passes()))
    programs = [ttstack.compile(exported, without=left, placement="dram") for left in rewrites]
    rng, values = Random(case), [t.numpy().copy() for t in inputs]
    real = [i for i, value in enumerate(values) if value.dtype.kind == "f"]
    for poison in POISONS:
        poisoned = [value.copy() for value in values]
        at = rng.choice(real)
        last = case in REWRITTEN  # of the last sample, and in columns that are cut off
        poisoned[at][tuple(n - 1 if last else rng.randrange(n) for n in values[at].shape)] = poison
        ours, plain = (_outputs(program, poisoned) for program in programs)
        for x, y in zip(ours, plain, strict=True):
            assert np.array_equal(np.isfinite(x), np.isfinite(y))
            finite = np.isfinite(y)
            np.testing.assert_allclose(x[finite], y[finite], rtol=1e-3, atol=1e-3 * np.abs(y[finite]).max(initial=0))


def _outputs(program: ttstack.Program, values: list[Array]) -> list[Array]:
    with np.errstate(all="ignore"):
        return list(program.run(dict(zip(program.inputs(), values, strict=True))).outputs.values())


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_directions_that_take_their_steps_together_keep_samples_separate(kind: type[nn.LSTM | nn.GRU]):
    """Zeros between the directions of a sample meet what is not finite in that sample alone."""
    model, x = kind(64, 32, bidirectional=True, batch_first=True).eval(), torch.randn(4, 6, 64)
    program, values = ttstack.compile(model, (x,)), x.numpy().copy()
    assert "concat" in [op.name for op in program.cost().ops]
    (clean, *_), values[2, 3, 5] = _outputs(program, [values]), np.nan
    poisoned, *_ = _outputs(program, [values])
    others = [0, 1, 3]
    assert np.isnan(poisoned[2]).any()
    assert np.array_equal(poisoned[others], clean[others])
