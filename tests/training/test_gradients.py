"""Gradients of PyTorch's functions, a line each: the parameter after one step of rate 1 is its gradient away."""

from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tests.training.steps import train

IDS, BAGS = torch.tensor([1, 1, 2, 0]), torch.tensor([0, 3])
IMAGES, VOLUMES, ROWS = (2, 4, 6, 6), (1, 2, 5, 6, 6), (4, 8)


def _spread(size: tuple[int, ...]) -> Tensor:
    """Numbers from -1 to 1 that are all different."""
    count = torch.Size(size).numel()
    return (torch.randperm(count, generator=torch.Generator().manual_seed(2)) / count * 2 - 1).reshape(size)


def _kernel(x: Tensor, *size: int) -> Tensor:
    """A part of the parameter as a weight."""
    return x.flatten()[: torch.Size(size).numel()].reshape(size)


FUNCTIONS: dict[str, tuple[tuple[int, ...], Callable[[Tensor], Tensor]]] = {
    "silu": (IMAGES, F.silu),
    "mish": (IMAGES, F.mish),
    "hardshrink": (IMAGES, lambda x: F.hardshrink(x, 0.3)),
    "softshrink": (IMAGES, lambda x: F.softshrink(x, 0.3)),
    "adaptive max": (IMAGES, lambda x: F.adaptive_max_pool2d(x, 3)),
    "bilinear": (IMAGES, lambda x: F.interpolate(x, size=(9, 4), mode="bilinear")),
    "circular": (IMAGES, lambda x: F.pad(x, (1, 2, 1, 1), mode="circular")),
    "transposed lines": ((2, 4, 6), lambda x: F.conv_transpose1d(x, _kernel(x, 4, 2, 3), stride=2, bias=x[0, :2, 0])),
    "transposed": (
        IMAGES,
        lambda x: F.conv_transpose2d(
            x, _kernel(x, 4, 3, 3, 2), stride=2, padding=1, output_padding=1, groups=2, dilation=(1, 2)
        ),
    ),
    "volumes": (
        VOLUMES,
        lambda x: F.conv3d(x, _kernel(x, 4, 2, 3, 2, 2), x[0, :, 0, 0, :2].flatten(), (2, 1, 2), (1, 0, 1), (1, 2, 1)),
    ),
    "transposed volumes": (VOLUMES, lambda x: F.conv_transpose3d(x, _kernel(x, 2, 3, 2, 2, 2), stride=2)),
    "response": (IMAGES, lambda x: F.local_response_norm(x, 2)),
    "margins": (ROWS, lambda x: F.multi_margin_loss(x, IDS, weight=torch.arange(8.0))),
    "squared margins": (ROWS, lambda x: F.multi_margin_loss(x, IDS, p=2, margin=0.5, reduction="none")),
    "distances": (ROWS, lambda x: torch.cdist(x, x.flip(1))),
    "distances of squares": (ROWS, lambda x: torch.cdist(x, x.flip(1), p=1)),
    "bilinear layer": (ROWS, lambda x: F.bilinear(x, x, x[:3, None] * x[:3, :, None])),
    "by frequency": (ROWS, lambda x: F.embedding(IDS, x, scale_grad_by_freq=True)),
    "weighted bags": (ROWS, lambda x: F.embedding_bag(IDS, x, BAGS, mode="sum", per_sample_weights=x[0, :4])),
    "weighted rows": (
        ROWS,
        lambda x: F.embedding_bag(IDS.view(2, 2), x, mode="sum", per_sample_weights=x[:2, :2], padding_idx=2),
    ),
    "smoothed": (ROWS, lambda x: F.cross_entropy(x, IDS, label_smoothing=0.1, weight=torch.arange(1.0, 9.0))),
}


class Of(nn.Module):
    """A function of a parameter, as one number that all of its results count in."""

    def __init__(self, shape: tuple[int, ...], function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.weight, self.function = nn.Parameter(_spread(shape)), function

    def forward(self, x: Tensor) -> Tensor:
        return (self.function(self.weight) * x).square().sum()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_gradient_is_that_of_pytorch(name: str):
    shape, function = FUNCTIONS[name]
    trained = train(Of(shape, function), (torch.ones(()),), partial(torch.optim.SGD, lr=1.0), steps=1)
    assert trained.worst <= 1e-5, trained.apart


class Recurrent(nn.Module):
    """A layer of LSTM."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.LSTM(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)[0].square().sum()


@pytest.mark.filterwarnings("ignore:The tensor attributes")  # PyTorch's, of its own layer
def test_recurrent_layers_train():
    trained = train(Recurrent(), (_spread((3, 2, 4)),), partial(torch.optim.SGD, lr=0.1), steps=2)
    assert trained.worst <= 1e-5, trained.apart
