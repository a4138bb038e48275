"""The UNet of Stable Diffusion 1.5 (Rombach et al. 2022), one step of removing noise, in plain PyTorch.

Sizes are those of https://huggingface.co/stable-diffusion-v1-5/stable-diffusion-v1-5/blob/main/unet/config.json.
"""

import math
from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

from examples.zoo.factory import Example

WIDTHS = (320, 640, 1280, 1280)
"""Channels of the levels; the last one has no attention."""
TEXT, TOKENS, TIME, HEADS, LATENT = 768, 77, 1280, 8, 64


class Residual(nn.Module):
    """Two convolutions with group norms and SiLU, to which the time is added between them."""

    def __init__(self, before: int, after: int, time: int, groups: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList((nn.GroupNorm(groups, before), nn.GroupNorm(groups, after)))
        self.convs = nn.ModuleList((nn.Conv2d(before, after, 3, padding=1), nn.Conv2d(after, after, 3, padding=1)))
        self.time = nn.Linear(time, after)
        self.shortcut = nn.Identity() if before == after else nn.Conv2d(before, after, 1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """(batch, before, height, width) and (batch, time) to (batch, after, height, width)."""
        y = self.convs[0](functional.silu(self.norms[0](x))) + self.time(functional.silu(time))[:, :, None, None]
        return self.shortcut(x) + self.convs[1](functional.silu(self.norms[1](y)))


class Attention(nn.Module):
    """Attention of image tokens to themselves or to text."""

    def __init__(self, width: int, seen: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(seen, width, bias=False) for _ in range(2))
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """(batch, tokens, width) and (batch, others, seen) to (batch, tokens, width)."""
        q, k, v = (
            t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (self.query(x), self.key(seen), self.value(seen))
        )
        return self.out(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Transformer(nn.Module):
    """Self-attention, attention to the text and a gated MLP over the pixels of an image."""

    def __init__(self, width: int, text: int, heads: int, groups: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(groups, width, eps=1e-6)
        self.enter, self.leave = (nn.Conv2d(width, width, 1) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own, self.cross = Attention(width, width, heads), Attention(width, text, heads)
        self.gate, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, image: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        """(batch, width, height, width of the image) to the same."""
        x = self.enter(self.norm(image)).flatten(2).transpose(1, 2)
        own = self.norms[0](x)
        x = x + self.own(own, own)
        x = x + self.cross(self.norms[1](x), text)
        value, gate = self.gate(self.norms[2](x)).chunk(2, dim=-1)
        x = x + self.down(value * functional.gelu(gate))
        return image + self.leave(x.transpose(1, 2).unflatten(2, image.shape[2:]))


class Level(nn.Module):
    """Residual blocks, each with a transformer behind it where the level has attention."""

    def __init__(self, befores: Sequence[int], width: int, attends: bool, sizes: tuple[int, int, int, int]) -> None:
        super().__init__()
        text, time, heads, groups = sizes
        self.blocks = nn.ModuleList(Residual(before, width, time, groups) for before in befores)
        self.transformers = nn.ModuleList(
            Transformer(width, text, heads, groups) if attends else nn.Identity() for _ in befores
        )

    def step(self, i: int, x: torch.Tensor, time: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        """The i-th block."""
        x, transformer = self.blocks[i](x, time), self.transformers[i]
        return transformer(x, text) if isinstance(transformer, Transformer) else x


class DenoisingUNet(nn.Module):
    """Levels down to a bottom and up again; each block on the way up gets what one on the way down gave."""

    def __init__(self, widths: Sequence[int], text: int, time: int, heads: int, groups: int = 32) -> None:
        super().__init__()
        first, *_, last = widths
        sizes = text, time, heads, groups
        self.first = first
        self.time = nn.Sequential(nn.Linear(first, time), nn.SiLU(), nn.Linear(time, time))
        self.enter = nn.Conv2d(4, first, 3, padding=1)
        entering = (first, *widths[:-1])
        attends = [i < len(widths) - 1 for i in range(len(widths))]
        self.down = nn.ModuleList(
            Level((before, width), width, attend, sizes)
            for before, width, attend in zip(entering, widths, attends, strict=True)
        )
        self.shrink = nn.ModuleList(nn.Conv2d(w, w, 3, stride=2, padding=1) for w in widths[:-1])
        self.middle, self.bottom = Level((last,), last, True, sizes), Residual(last, last, time, groups)
        above, self.up = last, nn.ModuleList()
        for before, width, attend in reversed(list(zip(entering, widths, attends, strict=True))):
            self.up.append(Level((above + width, 2 * width, width + before), width, attend, sizes))
            above = width
        self.grow = nn.ModuleList(nn.Conv2d(w, w, 3, padding=1) for w in reversed(widths[1:]))
        self.norm, self.leave = nn.GroupNorm(groups, first), nn.Conv2d(first, 4, 3, padding=1)

    def forward(self, latent: torch.Tensor, step: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        """(batch, 4, height, width), (batch,) and (batch, tokens, text) to the noise, as the latent."""
        half = self.first // 2
        angles = step[:, None] * torch.exp(-math.log(10000) / half * torch.arange(half, device=step.device))
        time = self.time(torch.cat((angles.cos(), angles.sin()), dim=-1))
        x = self.enter(latent)
        kept = [x]
        for i, level in enumerate(self.down):
            for block in range(2):
                x = level.step(block, x, time, text)
                kept.append(x)
            if i < len(self.shrink):
                x = self.shrink[i](x)
                kept.append(x)
        x = self.bottom(self.middle.step(0, x, time, text), time)
        for i, level in enumerate(self.up):
            for block in range(3):
                x = level.step(block, torch.cat((x, kept.pop()), dim=1), time, text)
            if i < len(self.grow):
                x = self.grow[i](functional.interpolate(x, scale_factor=2.0))
        return self.leave(functional.silu(self.norm(x)))


def unet(batch: int) -> Example:
    """A step for images of 512 by 512, latents of 64 by 64."""
    model = DenoisingUNet(WIDTHS, TEXT, TIME, HEADS)
    args = (torch.randn(batch, 4, LATENT, LATENT), torch.ones(batch), torch.randn(batch, TOKENS, TEXT))
    return model, args, {}
