"""DLRM: dense features, bags of embeddings, the dot products of all pairs, and an MLP over both."""

from itertools import pairwise

import torch
from torch import nn

from examples.zoo.factory import Example, described, seeded


def dense_stack(*sizes: int) -> nn.Sequential:
    """Linear layers, each followed by ReLU."""
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers)


class DLRM(nn.Module):
    """The model of Naumov et al. 2019, https://arxiv.org/abs/1906.00091."""

    def __init__(self, dense: int, tables: int, rows: int, width: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.bottom = dense_stack(dense, *hidden, width)
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables))
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(*dense_stack(width + pairs, *hidden), nn.Linear(hidden[-1], 1))
        which = torch.tril_indices(tables + 1, tables + 1, -1, device="cpu")  # known, also of a model without values
        self.register_buffer("pairs", which, persistent=False)

    def forward(self, dense: torch.Tensor, indices: list[torch.Tensor], offsets: list[torch.Tensor]) -> torch.Tensor:
        """The probability of a click for each example, from (batch, dense) and a bag of rows for each table."""
        x = self.bottom(dense)
        bags = [table(i, o) for table, i, o in zip(self.tables, indices, offsets, strict=True)]
        features = torch.stack([x, *bags], dim=1)
        products = torch.bmm(features, features.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return torch.sigmoid(self.top(torch.cat([x, products], dim=1)))


def _build(tables: int, rows: int, width: int, hidden: tuple[int, ...], batch: int, bag: int) -> Example:
    indices = [torch.randint(0, rows, (batch * bag,)) for _ in range(tables)]
    offsets = [torch.arange(0, batch * bag, bag) for _ in range(tables)]
    return DLRM(13, tables, rows, width, hidden), (torch.randn(batch, 13), indices, offsets), {}


@seeded
def small() -> Example:
    """Three tables of 50 rows."""
    return _build(3, 50, 32, (64, 32), batch=8, bag=2)


@described
def full() -> Example:
    """26 tables of a million rows, width 64."""
    return _build(26, 1_000_000, 64, (512, 256), batch=128, bag=4)
