"""UNet: convolutions down to a bottom and up again, with skip connections on each level."""

from itertools import pairwise

import torch
from torch import nn

from examples.zoo.factory import Example, described, seeded, with_statistics


class DoubleConv(nn.Sequential):
    """Two convolutions with batch norm and ReLU."""

    def __init__(self, before: int, after: int) -> None:
        layers: list[nn.Module] = []
        for channels in (before, after):
            layers += [nn.Conv2d(channels, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
        super().__init__(*layers)


class UNet(nn.Module):
    """The network of Ronneberger et al. 2015 with padded convolutions; `widths` are those of its levels."""

    def __init__(self, channels: int, widths: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.down = nn.ModuleList(DoubleConv(a, b) for a, b in pairwise((channels, *widths)))
        self.rise = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in pairwise(widths))
        self.up = nn.ModuleList(DoubleConv(2 * a, a) for a in widths[:-1])
        self.head = nn.Conv2d(widths[0], classes, 1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """(batch, channels, height, width) to (batch, classes, height, width)."""
        skips = [self.down[0](image)]
        for level in self.down[1:]:
            skips.append(level(nn.functional.max_pool2d(skips[-1], 2)))
        x = skips.pop()
        for rise, up in zip(reversed(self.rise), reversed(self.up), strict=True):
            x = up(torch.cat([skips.pop(), rise(x)], dim=1))
        return self.head(x)


def _build(widths: tuple[int, ...], batch: int, image: int) -> Example:
    return with_statistics(UNet(3, widths, 2)), (torch.randn(batch, 3, image, image),), {}


@seeded
def small() -> Example:
    """Three levels from width 8, images of 32 by 32."""
    return _build((8, 16, 32), batch=1, image=32)


@described
def full() -> Example:
    """Five levels from width 64, images of 256 by 256."""
    return _build((64, 128, 256, 512, 1024), batch=1, image=256)
