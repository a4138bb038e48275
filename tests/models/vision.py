"""Small convolutional models: residual blocks, an encoder and decoder with skips, and patches with attention."""

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


class BasicBlock(nn.Module):
    """Two convolutions and a shortcut."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))
        self.shortcut = nn.Identity() if (before, stride) == (after, 1) else shortcut
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        y += self.shortcut(x)
        return self.relu(y)


class ResNet(nn.Module):
    """A stem, blocks of growing width, and a classifier."""

    def __init__(self, widths: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, widths[0], 7, 2, padding=3, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(),
            nn.MaxPool2d(3, 2, padding=1),
        )
        befores = (widths[0], *widths)
        blocks = [BasicBlock(a, b, 1 if a == b else 2) for a, b in zip(befores, widths, strict=False)]
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.stem(x)))


class UNet(nn.Module):
    """Down twice and up twice: transposed convolutions on one level, bilinear resizing on the other."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.down1, self.down2 = self._double(1, width), self._double(width, 2 * width)
        self.bottom = self._double(2 * width, 4 * width)
        self.rise2 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.up2 = self._double(4 * width, 2 * width)
        self.rise1 = nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(2 * width, width, 1))
        self.up1 = self._double(2 * width, width)
        self.head = nn.Conv2d(width, 2, 1)

    @staticmethod
    def _double(before: int, after: int) -> nn.Sequential:
        first, second = nn.Conv2d(before, after, 3, padding=1), nn.Conv2d(after, after, 3, padding=1)
        return nn.Sequential(first, nn.GroupNorm(2, after), nn.SiLU(), second, nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        high = self.down1(x)
        middle = self.down2(nn.functional.max_pool2d(high, 2))
        low = self.bottom(nn.functional.max_pool2d(middle, 2))
        middle = self.up2(torch.cat([middle, self.rise2(low)], 1))
        return self.head(self.up1(torch.cat([high, self.rise1(middle)], 1)))


class PatchTransformer(nn.Module):
    """Patches by a strided convolution, a token for the class, learned positions, encoder layers."""

    def __init__(self, image: int, patch: int, width: int, layers: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, width))
        layer = nn.TransformerEncoderLayer(width, 2, 2 * width, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.ModuleList(nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).layers)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x[:, 0]))


def resnet() -> Example:
    torch.manual_seed(0)
    model = ResNet((8, 8, 16), 10).eval()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d) and module.running_var is not None and module.running_mean is not None:
            nn.init.uniform_(module.running_var, 0.5, 2)
            nn.init.normal_(module.running_mean)
    return model, (torch.randn(2, 3, 32, 32),)


def unet() -> Example:
    torch.manual_seed(0)
    return UNet(8).eval(), (torch.randn(1, 1, 16, 24),)


def patch_transformer() -> Example:
    torch.manual_seed(0)
    return PatchTransformer(16, 4, 32, 2).eval(), (torch.randn(2, 3, 16, 16),)
