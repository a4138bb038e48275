"""Masks of dropout in a step of training, by an operator of our own."""

import torch

import ttstack.frontends.torch.training.dropout  # noqa: F401 defines the op
from tests.frontends.torch_cases.draw import Cases
from tests.training.threefry import dropout_mask


@torch.library.impl("ttstack::dropout_mask", "CPU")
def _(key: torch.Tensor, first_row: int, shape: list[int], p: float) -> torch.Tensor:
    seed, step = key.tolist()
    return torch.from_numpy(dropout_mask((seed, step), first_row, shape, p))


def masks(key: torch.Tensor) -> list[torch.Tensor]:
    """Rows of even and of odd width, the first of them and later ones."""
    op = torch.ops.ttstack.dropout_mask
    return [op(key, 0, [3, 4, 6], 0.25), op(key, 12, [5, 7], 0.5), op(key, 17, [1], 0.9)]


CASES: Cases = {"dropout masks": (masks, (torch.tensor([7, 3], dtype=torch.int32),))}
