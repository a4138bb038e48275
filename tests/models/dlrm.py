"""DLRM: dense features, embedding bags, pairwise interaction, and an MLP over both."""

from itertools import pairwise

import torch
from torch import nn


def dense_stack(*sizes: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers)


class DLRM(nn.Module):
    """The recommendation model of Naumov et al. 2019 with dot interaction."""

    pairs: torch.Tensor

    def __init__(self, dense: int, tables: int, rows: int, width: int) -> None:
        super().__init__()
        self.bottom = dense_stack(dense, 512, 256, width)
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables))
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(*dense_stack(width + pairs, 512, 256), nn.Linear(256, 1))
        self.register_buffer("pairs", torch.tril_indices(tables + 1, tables + 1, -1), persistent=False)

    def interact(self, features: torch.Tensor) -> torch.Tensor:
        """The dot product of each pair of features: (batch, n, width) -> (batch, n * (n - 1) / 2)."""
        products = torch.bmm(features, features.transpose(1, 2))
        return products[:, self.pairs[0], self.pairs[1]]

    def forward(self, dense: torch.Tensor, indices: list[torch.Tensor], offsets: list[torch.Tensor]) -> torch.Tensor:
        x = self.bottom(dense)
        bags = [table(i, o) for table, i, o in zip(self.tables, indices, offsets, strict=True)]
        features = torch.stack([x, *bags], dim=1)
        return torch.sigmoid(self.top(torch.cat([x, self.interact(features)], dim=1)))


def dlrm(
    batch: int = 128, rows: int = 1000, tables: int = 26, width: int = 64, bag: int = 4
) -> tuple[DLRM, tuple[object, ...]]:
    torch.manual_seed(0)
    model = DLRM(13, tables, rows, width).eval()
    indices = [torch.randint(0, rows, (batch * bag,)) for _ in range(tables)]
    offsets = [torch.arange(0, batch * bag, bag) for _ in range(tables)]
    return model, (torch.randn(batch, 13), indices, offsets)


def dlrm_tiny() -> tuple[DLRM, tuple[object, ...]]:
    return dlrm(batch=8, rows=50, tables=3, width=16, bag=2)
