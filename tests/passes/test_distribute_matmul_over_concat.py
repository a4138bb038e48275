"""Products of features of several resolutions, taken of each before it is enlarged: the same values, in less time."""

from collections import Counter
from copy import deepcopy

import pytest
import torch
from torch import nn
from torch.nn.functional import interpolate

import ttstack


class Decoder(nn.Module):
    """Features of images of 64, 32 and 16 pixels a side, enlarged to the first, joined, and multiplied."""

    def __init__(self, mode: str = "bilinear", *, bias: bool = True, channels: int = 256) -> None:
        super().__init__()
        self.mode = mode
        self.fuse = nn.Conv2d(3 * channels, channels, 1, bias=bias)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, *features: torch.Tensor) -> torch.Tensor:
        """[1, channels, side, side] each to [1, channels, 64, 64]."""
        side = features[0].shape[-1]
        aligned = None if self.mode == "nearest" else False
        rest = (interpolate(f, size=(side, side), mode=self.mode, align_corners=aligned) for f in features[1:])
        return torch.relu(self.norm(self.fuse(torch.cat([features[0], *rest], 1))))


def drawn(channels: int = 256, sides: tuple[int, ...] = (64, 32, 16)) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(1)
    return tuple(torch.randn(1, channels, side, side, generator=generator) for side in sides)


def compiled(model: nn.Module, features: tuple[torch.Tensor, ...], without: str | None = None) -> ttstack.Program:
    model = model.eval().requires_grad_(False)
    program = ttstack.compile(model, features, without=without, dtype="bf16")
    given = dict(zip(program.inputs(), (f.numpy() for f in features), strict=True))
    (found,) = program.run(given).outputs.values()
    wanted = deepcopy(model).double()(*(f.double() for f in features))  # convolutions of float32 differ by processor
    assert (torch.from_numpy(found) - wanted).abs().max() <= 2e-6 * wanted.abs().max()
    return program


def ops(program: ttstack.Program) -> Counter[str]:
    return Counter(op.name for op in program.cost().ops)


@pytest.mark.parametrize("bias", [True, False], ids=["with a bias", "with the norm's shift alone"])
def test_products_come_before_images_are_enlarged(bias: bool):
    model, features = Decoder(bias=bias), drawn()
    apart, joined = (compiled(model, features, left) for left in (None, "distribute-matmul-over-concat"))
    assert ops(joined)["concat"] == 1
    assert ops(apart)["concat"] == 0
    assert ops(apart)["matmul"] + ops(apart)["linear"] == 3
    assert ops(apart)["upsample2d"] == 2
    assert apart.cost().total_ns < joined.cost().total_ns
    assert ops(joined)["permute"] >= ops(apart)["permute"] - 1  # images come and go with channels first
    (small,) = (op for op in apart.cost().ops if op.results[0].type.shape[-3:] == (16, 16, 256) and "mat" in op.name)
    assert small.flops == 2 * 16 * 16 * 256 * 256


@pytest.mark.parametrize("channels", [64, 256])
def test_what_saves_little_stays_joined(channels: int):
    model, features = Decoder("nearest", channels=channels), drawn(channels, (32, 16, 8))
    assert ops(compiled(model, features))["concat"] == 1


def test_parts_of_one_resolution_stay_joined():
    class Joined(Decoder):
        def forward(self, *features: torch.Tensor) -> torch.Tensor:
            return self.fuse(torch.cat([torch.sin(f) for f in features], 1))

    assert ops(compiled(Joined(), drawn(sides=(64, 64, 64))))["concat"] == 1


def test_what_is_read_elsewhere_stays_joined():
    class Twice(Decoder):
        def forward(self, *features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            joined = torch.cat([features[0], interpolate(features[1], scale_factor=2), features[0]], 1)
            return self.fuse(joined), torch.sin(joined)

    model = Twice().eval().requires_grad_(False)
    program = ttstack.compile(model, drawn(sides=(64, 32)), dtype="bf16")
    assert ops(program)["concat"] == 1


def test_windows_of_several_pixels_stay_joined():
    class Wide(Decoder):
        def __init__(self) -> None:
            super().__init__()
            self.fuse = nn.Conv2d(768, 256, 3, padding=1)

    assert ops(compiled(Wide(), drawn()))["concat"] == 1
