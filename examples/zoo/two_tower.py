"""A two-tower recommender: users and items become vectors, whose cosines are the scores of all pairs."""

import torch
from torch import nn

from examples.zoo.dlrm import dense_stack
from examples.zoo.factory import Example, described, seeded


class Tower(nn.Module):
    """An id and the mean of the ids of a history, then an MLP, then length 1."""

    def __init__(self, rows: int, width: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.ids = nn.Embedding(rows, width)
        self.history = nn.EmbeddingBag(rows, width, mode="mean")
        self.mlp = nn.Sequential(*dense_stack(2 * width, *hidden), nn.Linear(hidden[-1], width))

    def forward(self, ids: torch.Tensor, history: torch.Tensor) -> torch.Tensor:
        """(batch,) and (batch, history) to (batch, width)."""
        x = torch.cat([self.ids(ids), self.history(history)], dim=1)
        return nn.functional.normalize(self.mlp(x), dim=1)


class TwoTower(nn.Module):
    """Scores of all items for all users, sharpened by a temperature."""

    def __init__(self, users: int, items: int, width: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.user, self.item = Tower(users, width, hidden), Tower(items, width, hidden)
        self.temperature = 0.05

    def forward(
        self, users: torch.Tensor, watched: torch.Tensor, items: torch.Tensor, related: torch.Tensor
    ) -> torch.Tensor:
        """Scores of shape (users, items)."""
        return self.user(users, watched) @ self.item(items, related).T / self.temperature


def _build(users: int, items: int, width: int, hidden: tuple[int, ...], batch: int, history: int) -> Example:
    ids = (torch.randint(0, users, (batch,)), torch.randint(0, users, (batch, history)))
    candidates = (torch.randint(0, items, (batch,)), torch.randint(0, items, (batch, history)))
    return TwoTower(users, items, width, hidden), (*ids, *candidates), {}


@seeded
def small() -> Example:
    """A hundred users and fifty items."""
    return _build(100, 50, 16, (64, 32), batch=16, history=4)


@described
def full() -> Example:
    """A million users and items, a batch of 512."""
    return _build(1_000_000, 1_000_000, 128, (512, 256), batch=512, history=32)
