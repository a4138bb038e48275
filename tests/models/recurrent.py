"""Small recurrent models: a tagger of tokens and a forecast of a series."""

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


class Tagger(nn.Module):
    """An embedding, two layers of LSTM in both directions, and a class for each token."""

    def __init__(self, words: int, width: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(self.embedding(tokens))[0])


class Forecast(nn.Module):
    """A convolution over time and a GRU whose last state says the next value."""

    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(features, width, 3, padding=2, dilation=2)
        self.gru = nn.GRU(width, width)
        self.head = nn.Linear(width, features)

    def forward(self, series: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.conv(series)).permute(2, 0, 1)
        return self.head(self.gru(x)[1][-1])


def tagger() -> Example:
    torch.manual_seed(0)
    return Tagger(50, 16, 5).eval(), (torch.randint(0, 50, (2, 7)),)


def forecast() -> Example:
    torch.manual_seed(0)
    return Forecast(4, 16).eval(), (torch.randn(2, 4, 12),)
