"""Small models that call one step again and again, and one that does not."""

import warnings
from collections.abc import Callable
from functools import cache, partial

import torch
from torch import nn

import ttstack
from ttstack.compiled_program import Program

STEPS = 8
WIDTH = 32


class Recurrent(nn.Module):
    """The outputs of a recurrent layer of PyTorch."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)[0]


class LinearAttention(nn.Module):
    """RWKV's weighted means of what came before, written as a loop; the last step looks at the model's `last` alone."""

    def __init__(self) -> None:
        super().__init__()
        self.key, self.value = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.decay, self.last = nn.Parameter(torch.randn(WIDTH)), nn.Parameter(torch.randn(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        key, value = self.key(x), self.value(x)
        decay = torch.exp(-torch.exp(self.decay))
        above = torch.zeros_like(key[:, 0])
        below = torch.zeros_like(above)
        means: list[torch.Tensor] = []
        for t in range(x.shape[1]):
            weight = torch.exp(key[:, t] if t < x.shape[1] - 1 else self.last)
            above, below = decay * above + weight * value[:, t], decay * below + weight
            means.append(above / below)
        return torch.stack(means, 1)


def _perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH), nn.GELU())


MODELS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    "lstm": (lambda: Recurrent(nn.LSTM(WIDTH, WIDTH, batch_first=True)), 1),
    "two layers of lstm": (lambda: Recurrent(nn.LSTM(WIDTH, WIDTH, num_layers=2, batch_first=True)), 2),
    "gru in both directions": (lambda: Recurrent(nn.GRU(WIDTH, WIDTH, bidirectional=True, batch_first=True)), 1),
    "linear attention": (LinearAttention, 1),
    "perceptron": (_perceptron, 0),
}
"""Models by name, and how many steps they repeat."""


@cache
def compiled(name: str) -> Program:
    """The program of a model, over a batch of two."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The tensor attributes self.*_flat_weights")
        return ttstack.compile(MODELS[name][0]().eval(), (torch.randn(2, STEPS, WIDTH),))


PROGRAMS: dict[str, Callable[[], Program]] = {name: partial(compiled, name) for name in MODELS}
"""By the names of models."""
