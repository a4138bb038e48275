"""Graphs of convolutions, norms, chunks, concats and upsampling, as detectors and U-Nets of images are made of."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor, nn
from torch.nn import functional

STEPS = 4, 10
CHANNELS = 16, 32, 48, 64
LARGEST = 256
"""Channels of a concat."""


@dataclass(frozen=True)
class Step:
    """Tensors from tensors: which ones it reads, by their numbers, and what makes the new ones of them."""

    reads: tuple[int, ...]
    apply: Callable[..., tuple[Tensor, ...]]
    about: str


class Graph(nn.Module):
    """Steps over a growing list of feature maps; the last ones that no step reads are the outputs."""

    def __init__(self, rng: Random, channels: int, height: int, width: int) -> None:
        super().__init__()
        self._rng = rng
        self.layers = nn.ModuleList()
        self.steps: list[Step] = []
        self.shapes = [(channels, height, width)]
        for _ in range(rng.randint(*STEPS)):
            rng.choice((self._conv, self._conv, self._norm, self._norm, self._chunk, self._concat, self._concat,
                        self._upsample, self._activation, self._pool, self._add, self._split_block))()  # fmt: skip
        read = {i for step in self.steps for i in step.reads}
        self.outputs = [i for i in range(len(self.shapes)) if i not in read]

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        """[images, channels, height, width] to the maps that no step reads."""
        maps = [x]
        for step in self.steps:
            maps.extend(step.apply(*(maps[i] for i in step.reads)))
        return tuple(maps[i] for i in self.outputs)

    def __str__(self) -> str:
        return "; ".join(f"{step.about} of {', '.join(map(str, step.reads))}" for step in self.steps)

    def _split_block(self) -> None:
        """Chunks, of which convolutions extend the last, concatenated, and then a convolution of 1 x 1 and a norm."""
        parts = len(self.shapes)
        self._chunk()
        if len(self.shapes) == parts:
            return
        for _ in range(self._rng.randint(1, 2)):
            channels, height, width = self.shapes[-1]
            self._layer(len(self.shapes) - 1, nn.Conv2d(channels, channels, 3, padding=1), channels, height, width)
        reads = tuple(range(parts, len(self.shapes)))
        channels, height, width = sum(self.shapes[i][0] for i in reads), *self.shapes[-1][1:]
        self._push(Step(reads, lambda *maps: (torch.cat(maps, 1),), "concat"), (channels, height, width))
        out = self._rng.choice(CHANNELS)
        self._layer(
            len(self.shapes) - 1, nn.Conv2d(channels, out, 1, bias=self._rng.random() < 0.3), out, height, width
        )
        self._layer(len(self.shapes) - 1, nn.BatchNorm2d(out), out, height, width)

    def _pick(self) -> int:
        return self._rng.randrange(max(0, len(self.shapes) - 4), len(self.shapes))

    def _push(self, step: Step, *shapes: tuple[int, int, int]) -> None:
        self.steps.append(step)
        self.shapes.extend(shapes)

    def _layer(self, at: int, layer: nn.Module, *shape: int) -> None:
        self.layers.append(layer)
        channels, height, width = shape
        self._push(Step((at,), lambda x: (layer(x),), str(layer)), (channels, height, width))

    def _conv(self) -> None:
        at, rng = self._pick(), self._rng
        channels, height, width = self.shapes[at]
        taps, stride = rng.choice((1, 1, 3, 3, 5)), rng.choice((1, 1, 1, 2))
        groups = channels if rng.random() < 0.15 else 1
        out = channels if groups > 1 else rng.choice(CHANNELS)
        bias, pad = rng.random() < 0.5, taps // 2
        conv = nn.Conv2d(channels, out, taps, stride, pad, groups=groups, bias=bias)
        self._layer(at, conv, out, (height - 1) // stride + 1, (width - 1) // stride + 1)

    def _norm(self) -> None:
        at = self._pick()
        channels = self.shapes[at][0]
        norm: nn.Module = self._rng.choice((
            nn.BatchNorm2d(channels), nn.BatchNorm2d(channels), nn.GroupNorm(4, channels), nn.InstanceNorm2d(channels)
        ))  # fmt: skip
        for buffer in norm.buffers():
            if buffer.is_floating_point():
                buffer.uniform_(0.5, 1.5)
        self._layer(at, norm, *self.shapes[at])

    def _activation(self) -> None:
        at = self._pick()
        kind: nn.Module = self._rng.choice((nn.SiLU(), nn.ReLU(), nn.Hardswish(), nn.GELU(), nn.Sigmoid()))
        self._layer(at, kind, *self.shapes[at])

    def _pool(self) -> None:
        at = self._pick()
        channels, height, width = self.shapes[at]
        if min(height, width) > 3:
            self._layer(at, nn.MaxPool2d(2), channels, height // 2, width // 2)

    def _upsample(self) -> None:
        at = self._pick()
        channels, height, width = self.shapes[at]
        if height * width <= 320:
            self._layer(at, nn.Upsample(scale_factor=2, mode="nearest"), channels, 2 * height, 2 * width)

    def _chunk(self) -> None:
        at, parts = self._pick(), self._rng.choice((2, 2, 4))
        channels, height, width = self.shapes[at]
        if channels % (8 * parts) == 0:
            chunk = Step((at,), lambda x: torch.chunk(x, parts, 1), f"chunk({parts})")
            self._push(chunk, *[(channels // parts, height, width)] * parts)

    def _concat(self) -> None:
        at = self._pick()
        _, height, width = self.shapes[at]
        alike = [i for i, shape in enumerate(self.shapes) if shape[1:] == (height, width)]
        reads = tuple(self._rng.choices(alike, k=min(len(alike), self._rng.randint(2, 4))))
        channels = sum(self.shapes[i][0] for i in reads)
        if len(reads) > 1 and channels <= LARGEST:
            self._push(Step(reads, lambda *maps: (torch.cat(maps, 1),), "concat"), (channels, height, width))

    def _add(self) -> None:
        at = self._pick()
        alike = [i for i, shape in enumerate(self.shapes) if shape == self.shapes[at]]
        self._push(Step((at, self._rng.choice(alike)), lambda a, b: (functional.relu(a + b),), "add"), self.shapes[at])


def draw_graph(rng: Random) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """A graph, and an image for it."""
    channels, images = rng.choice((16, 32, 64)), rng.choice((1, 1, 1, 2))
    height, width = rng.choice((8, 14, 16)), rng.choice((7, 8, 16, 20))
    return Graph(rng, channels, height, width), (torch.randn(images, channels, height, width),)
