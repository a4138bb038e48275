"""A tagger of tokens: layers of LSTM in both directions over an embedding."""

import torch
from torch import nn

from examples.zoo.factory import Example, described, seeded, tokens


class Tagger(nn.Module):
    """Scores of the classes of each token."""

    def __init__(self, words: int, width: int, layers: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, num_layers=layers, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(batch, length) to (batch, length, classes)."""
        states, _ = self.lstm(self.embedding(tokens))
        return self.head(states)


@seeded
def small() -> Example:
    """Two layers of width 32, 8 tokens."""
    return Tagger(50, 32, 2, 5), (tokens(50, 2, 8),), {}


@described
def full() -> Example:
    """Two layers of width 512, 32 tokens: the recurrence is unrolled."""
    return Tagger(30000, 512, 2, 17), (tokens(30000, 32, 32),), {}
