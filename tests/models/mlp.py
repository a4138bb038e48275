"""A three-layer MLP."""

from itertools import pairwise

import torch
from torch import nn


class MLP(nn.Module):
    """Linear layers with ReLU between them."""

    def __init__(self, sizes: tuple[int, ...]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        *hidden, last = self.layers
        for layer in hidden:
            x = torch.relu(layer(x))
        return last(x)


def mlp(batch: int = 32, sizes: tuple[int, ...] = (256, 512, 256, 64)) -> tuple[MLP, tuple[torch.Tensor, ...]]:
    torch.manual_seed(0)
    return MLP(sizes).eval(), (torch.randn(batch, sizes[0]),)
