"""Ops over the channels of each pixel work on images with channels last, with the same values."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import ttstack


class Between(nn.Module):
    """An op between two convolutions."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function
        self.first, self.last = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 16, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.function(self.first(x)))


def layer_norm(x: Tensor) -> Tensor:
    """As networks of images spell layer norms of channels."""
    mean = x.mean(1, keepdim=True)
    variance = (x - mean).pow(2).mean(1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-3)


def attend(x: Tensor) -> Tensor:
    """A factor for each pixel, made of all channels."""
    return x * torch.sigmoid(x.mean(1, keepdim=True) + x.amax(1, keepdim=True))


ONE_NORM = {
    "layer norm": (layer_norm, "layer_norm"),
    "F.normalize": (lambda x: functional.normalize(x, dim=1), "rms_norm"),
    "softmax": (lambda x: torch.softmax(x, 1), "softmax"),
    "attention by pixel": (attend, "mean"),
    "attention by pixel and image": (lambda x: attend(x) * x.mean((2, 3), keepdim=True).sigmoid(), "mean"),
}


def compiled(model: nn.Module, x: Tensor) -> list[str]:
    program = ttstack.compile(model.eval().requires_grad_(False), (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    expected = model(x)
    torch.testing.assert_close(torch.from_numpy(found).to(expected.dtype), expected, rtol=1e-4, atol=1e-4)
    ops = [op.name for op in program.cost().ops]
    return ops[ops.index("conv2d") + 1 : ops.index("linear") + 1]


@pytest.mark.parametrize("images", [1, 2])
@pytest.mark.parametrize("name", ONE_NORM)
def test_nothing_moves_between_convolutions(name: str, images: int):
    function, op = ONE_NORM[name]
    ops = compiled(Between(function), torch.randn(images, 3, 16, 16))
    assert op in ops
    assert not {"permute", "transpose"}.intersection(ops)


def test_the_best_channel_is_found_with_channels_last():
    class Segmented(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 16, 1)

        def forward(self, x: Tensor) -> Tensor:
            return self.last(self.first(x)).argmax(1)

    torch.manual_seed(0)
    model, x = Segmented().eval().requires_grad_(False), torch.randn(2, 3, 16, 16)
    program = ttstack.compile(model, (x,))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    assert (torch.from_numpy(found) == model(x)).float().mean() > 0.99
    assert [op.name for op in program.cost().ops][-3:-1] == ["linear", "argmax"]
