"""DCNv2: layers that multiply the features with a product of themselves, beside an MLP."""

import torch
from torch import nn

from examples.zoo.dlrm import dense_stack
from examples.zoo.factory import Example, described, seeded


class CrossNetwork(nn.Module):
    """`x0 * (W x + b) + x`, layer by layer, with W of low rank."""

    def __init__(self, width: int, rank: int, layers: int) -> None:
        super().__init__()
        self.narrow = nn.ModuleList(nn.Linear(width, rank, bias=False) for _ in range(layers))
        self.wide = nn.ModuleList(nn.Linear(rank, width) for _ in range(layers))

    def forward(self, first: torch.Tensor) -> torch.Tensor:
        """(batch, width) to the same."""
        x = first
        for narrow, wide in zip(self.narrow, self.wide, strict=True):
            x = first * wide(narrow(x)) + x
        return x


class DCNv2(nn.Module):
    """The parallel form of Wang et al. 2020, https://arxiv.org/abs/2008.13535."""

    def __init__(self, rows: tuple[int, ...], width: int, dense: int, hidden: tuple[int, ...], rank: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(count, width) for count in rows)
        features = len(rows) * width + dense
        self.cross = CrossNetwork(features, rank, 3)
        self.deep = dense_stack(features, *hidden)
        self.head = nn.Linear(features + hidden[-1], 1)

    def forward(self, dense: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        """The probability of a click from (batch, dense) numbers and (batch, tables) categories."""
        embedded = [table(categories[:, i]) for i, table in enumerate(self.tables)]
        x = torch.cat([dense, *embedded], dim=1)
        return torch.sigmoid(self.head(torch.cat([self.cross(x), self.deep(x)], dim=1)))


def _build(rows: tuple[int, ...], width: int, hidden: tuple[int, ...], rank: int, batch: int) -> Example:
    categories = torch.stack([torch.randint(0, count, (batch,)) for count in rows], dim=1)
    return DCNv2(rows, width, 13, hidden, rank), (torch.randn(batch, 13), categories), {}


@seeded
def small() -> Example:
    """Three tables of width 16."""
    return _build((50, 20, 100), 16, (64, 32), 8, batch=32)


@described
def full() -> Example:
    """26 tables of 100,000 rows, width 64, a batch of 1024."""
    return _build((100_000,) * 26, 64, (1024, 512, 256), 64, batch=1024)
