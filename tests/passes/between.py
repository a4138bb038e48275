"""Moves between ops that compute, which tests of movement compile."""

from collections.abc import Callable

from torch import Tensor, nn


class Between(nn.Module):
    """Moves between ops that compute."""

    def __init__(self, moves: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.moves = moves

    def forward(self, x: Tensor) -> Tensor:
        return self.moves(x * 2).exp()
