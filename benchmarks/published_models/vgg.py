"""VGG-16 (Simonyan and Zisserman 2014, https://arxiv.org/abs/1409.1556, configuration D)."""

import torch
from torch import nn

from examples.zoo.factory import Example

_STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
"""Channels and convolutions of each stage, after which a pool halves the image."""


def vgg16(batch: int) -> Example:
    """A thousand classes, images of 224 by 224."""
    layers: list[nn.Module] = []
    before = 3
    for channels, count in _STAGES:
        for _ in range(count):
            layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU()]
            before = channels
        layers.append(nn.MaxPool2d(2))
    dense = (nn.Linear(512 * 7 * 7, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000))
    return nn.Sequential(*layers, nn.Flatten(), *dense), (torch.randn(batch, 3, 224, 224),), {}
