"""Convolutions whose windows hardly overlap are matmuls of looked-up windows where that is faster, and values stay."""

import pytest
import torch
from torch import nn

import ttstack


class Patches(nn.Module):
    """Patches of images as tokens, activated."""

    def __init__(self, conv: nn.Module) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[N, C, ...] to [N, patches, channels]."""
        return torch.relu(self.conv(x)).flatten(2).transpose(1, 2)


def compiled(conv: nn.Module, *shape: int, without: str | None = None) -> ttstack.Program:
    """The program, whose values are PyTorch's."""
    torch.manual_seed(0)
    model, x = Patches(conv).eval(), torch.randn(shape)
    program = ttstack.compile(model, (x,), dtype="bf16", without=without)
    (found,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
    with torch.no_grad():
        torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-4, atol=1e-4)
    return program


FASTER = {
    "patches": (nn.Conv2d(3, 64, 16, 16), (1, 3, 224, 224)),
    "patches without bias": (nn.Conv2d(3, 64, 16, 16, bias=False), (1, 3, 96, 224)),
    "patches of two images": (nn.Conv2d(3, 64, 16, 16), (2, 3, 96, 128)),
    "patches of ragged lines": (nn.Conv2d(3, 64, 14, 14), (1, 3, 140, 168)),
    "patches that leave a border": (nn.Conv2d(3, 64, 16, 16), (1, 3, 110, 136)),
    "patches that overlap": (nn.Conv2d(1, 64, 16, 10), (1, 1, 128, 256)),
    "patches wider than high": (nn.Conv2d(3, 64, (4, 16), (4, 16)), (1, 3, 64, 256)),
    "dilated patches": (nn.Conv2d(3, 64, 8, 16, dilation=2), (1, 3, 128, 256)),
    "tubes of a video": (nn.Conv3d(3, 64, (2, 8, 8), (2, 8, 8)), (1, 3, 4, 64, 64)),
    "every second place": (nn.Conv1d(256, 512, 1, stride=2), (1, 256, 256)),
}


@pytest.mark.parametrize("name", FASTER)
def test_windows_are_looked_up(name: str):
    conv, shape = FASTER[name]
    looked_up, plain = (compiled(conv, *shape, without=w).cost() for w in (None, "convolution-by-im2col"))
    assert not any("conv" in op.name for op in looked_up.ops)
    assert any("conv" in op.name for op in plain.ops)
    assert looked_up.total_ns < plain.total_ns


@pytest.mark.parametrize(
    ("conv", "shape"),
    [
        (nn.Conv2d(3, 64, 16, 16, padding=1), (1, 3, 222, 222)),
        (nn.Conv2d(4, 64, 16, 16, groups=2), (1, 4, 224, 224)),
        (nn.Conv2d(64, 64, 3), (1, 64, 16, 16)),
    ],
    ids=["windows over the border", "groups", "windows that overlap much"],
)
def test_others_stay_convolutions(conv: nn.Module, shape: tuple[int, ...]):
    assert "conv2d" in [op.name for op in compiled(conv, *shape).cost().ops]


def test_pixels_are_looked_up():
    """As pyramid vision transformers reduce keys and values."""

    class Reduced(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(64, 64)
            self.conv = nn.Conv2d(64, 64, 8, 8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            images = self.first(x).transpose(1, 2).reshape(1, 64, 56, 56)
            return self.conv(images).flatten(2).transpose(1, 2)

    model, x = Reduced().requires_grad_(False), torch.randn(1, 3136, 64)
    program = ttstack.compile(model, (x,), dtype="bf16")
    (found,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-4, atol=1e-4)
    assert "conv2d" not in [op.name for op in program.cost().ops]


def test_a_pixel_that_is_not_finite_stays_in_its_patch():
    conv, x = nn.Conv2d(3, 32, 16, 16).requires_grad_(False), torch.randn(1, 3, 96, 96)
    x[0, 1, 20, 40] = torch.inf
    program = ttstack.compile(conv, (x,), dtype="bf16")
    assert "embedding" in [op.name for op in program.cost().ops]
    (found,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
    assert (torch.from_numpy(found).isfinite() == conv(x).isfinite()).all()
