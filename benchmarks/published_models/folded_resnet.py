"""ResNet-50 as the library's demo has it: hosts fold images, and the first convolution has windows of 4x4 over them."""

import torch
from torch import nn
from transformers import ResNetConfig

from examples.zoo import resnet
from examples.zoo.factory import Example

_CHANNELS = 16
"""2x2 pixels of 3 channels, filled up."""
_FOLDED = (224 + 2 * 3) // 2
"""Rows and columns of images whose edges are filled up for windows of 7x7, each of two pixels."""


class _Folded(nn.Module):
    """A network of images whose pixels come in one dimension, channels last."""

    def __init__(self, model: nn.Module, batch: int) -> None:
        super().__init__()
        self.model = model
        self.batch = batch

    def forward(self, pixels: torch.Tensor) -> object:
        """(1, 1, pixels of all images, channels) to what the network gives."""
        return self.model(pixels.reshape(self.batch, _FOLDED, _FOLDED, _CHANNELS).permute(0, 3, 1, 2))


def folded_resnet(batch: int) -> Example:
    """Windows of 7x7 in steps of two pixels are windows of 4x4 in steps of one over folded images.

    `models/demos/vision/classification/resnet50` of tt-metal.
    """
    model, _, kwargs = resnet._build(ResNetConfig(num_labels=1000, num_channels=_CHANNELS), batch, 224)
    model.resnet.embedder.embedder.convolution = nn.Conv2d(_CHANNELS, 64, 4, bias=False)
    return _Folded(model, batch).eval(), (torch.empty(1, 1, batch * _FOLDED**2, _CHANNELS),), kwargs
