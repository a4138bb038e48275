"""Small networks in plain PyTorch, beside those of the zoo."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.published_models.vgg import vgg16
from examples.zoo.factory import Example, seeded, with_statistics


class Sequence(nn.Module):
    """A recurrent module and scores of its last output."""

    def __init__(self, module: nn.Module, width: int) -> None:
        super().__init__()
        self.module, self.scores = module, nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        """(steps, users, width) to (users, 10)."""
        return self.scores(self.module(x)[0][-1])


class Mixer(nn.Module):
    """An MLP-Mixer of two layers (https://arxiv.org/abs/2105.01601)."""

    def __init__(self, tokens: int, width: int) -> None:
        super().__init__()
        self.tokens = nn.ModuleList(self._mlp(tokens) for _ in range(2))
        self.channels = nn.ModuleList(self._mlp(width) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(4))

    @staticmethod
    def _mlp(width: int) -> nn.Module:
        return nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Tensor) -> Tensor:
        """(users, tokens, width) to the same."""
        for i, (tokens, channels) in enumerate(zip(self.tokens, self.channels, strict=True)):
            x = x + tokens(self.norms[2 * i](x).transpose(1, 2)).transpose(1, 2)
            x = x + channels(self.norms[2 * i + 1](x))
        return x


class Squeezed(nn.Module):
    """An inverted bottleneck with squeeze-and-excite."""

    def __init__(self, width: int) -> None:
        super().__init__()
        inner = 4 * width
        self.wide = nn.Sequential(nn.Conv2d(width, inner, 1), nn.BatchNorm2d(inner), nn.SiLU())
        self.deep = nn.Sequential(nn.Conv2d(inner, inner, 3, padding=1, groups=inner), nn.BatchNorm2d(inner), nn.SiLU())
        self.squeeze, self.excite = nn.Conv2d(inner, width // 2, 1), nn.Conv2d(width // 2, inner, 1)
        self.narrow = nn.Sequential(nn.Conv2d(inner, width, 1), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """(users, width, rows, columns) to the same."""
        rows = self.deep(self.wide(x))
        shares = torch.sigmoid(self.excite(functional.silu(self.squeeze(rows.mean((2, 3), keepdim=True)))))
        return x + self.narrow(rows * shares)


class Decoder(nn.Module):
    """PyTorch's decoder over what an encoder gave."""

    def __init__(self) -> None:
        super().__init__()
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(64, 4, 128, batch_first=True), 1)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        """(users, length, 64) to the same."""
        return self.decoder(x, memory)


class DeepFM(nn.Module):
    """Factorisation machine and MLP over embeddings of fields (https://arxiv.org/abs/1703.04247)."""

    def __init__(self, fields: int, rows: int, width: int) -> None:
        super().__init__()
        self.table, self.linear = nn.Embedding(fields * rows, width), nn.Embedding(fields * rows, 1)
        self.mlp = nn.Sequential(nn.Linear(fields * width, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, indices: Tensor) -> Tensor:
        """(users, fields) to (users, 1)."""
        rows = self.table(indices)
        pairs = (rows.sum(1).square() - rows.square().sum(1)).sum(1, keepdim=True) / 2
        return torch.sigmoid(self.linear(indices).sum(1) + pairs + self.mlp(rows.flatten(1)))


def _convolutions() -> nn.Module:
    steps = [nn.Conv1d(16, 32, 3, padding=2, dilation=2), nn.ReLU(), nn.Conv1d(32, 32, 3, padding=4, dilation=4)]
    return nn.Sequential(*steps, nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(32, 4))


def _autoencoder() -> nn.Module:
    down = (nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU())
    up = (nn.ConvTranspose2d(32, 16, 2, stride=2), nn.ReLU(), nn.ConvTranspose2d(16, 3, 2, stride=2), nn.Sigmoid())
    return nn.Sequential(*down, *up)


def _encoder() -> nn.Module:
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, activation="gelu"), 2)


def _vgg() -> nn.Module:
    return nn.Sequential(*list(vgg16(1)[0])[:10], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))


NETWORKS: Mapping[str, Callable[[], Example]] = {
    "encoder": lambda: (_encoder(), (torch.randn(2, 32, 64),), {}),
    "decoder": lambda: (Decoder(), (torch.randn(2, 32, 64), torch.randn(2, 48, 64)), {}),
    "gru": lambda: (Sequence(nn.GRU(32, 32), 32), (torch.randn(4, 2, 32),), {}),
    "bidirectional": lambda: (Sequence(nn.LSTM(32, 32, bidirectional=True), 64), (torch.randn(4, 2, 32),), {}),
    "mixer": lambda: (Mixer(32, 64), (torch.randn(2, 32, 64),), {}),
    "squeezed": lambda: (with_statistics(Squeezed(32)), (torch.randn(1, 32, 16, 16),), {}),
    "deepfm": lambda: (DeepFM(8, 50, 16), (torch.randint(0, 400, (32, 8)),), {}),
    "temporal": lambda: (_convolutions(), (torch.randn(2, 16, 64),), {}),
    "autoencoder": lambda: (_autoencoder(), (torch.randn(1, 3, 32, 32),), {}),
    "vgg": lambda: (_vgg(), (torch.randn(1, 3, 64, 64),), {}),
}


def make(name: str) -> Example:
    """The network of that name with the same values each time."""
    return seeded(NETWORKS[name])()
