"""ResNet: bottlenecks of three convolutions with batch norm, and shortcuts."""

import torch
from transformers import ResNetConfig, ResNetForImageClassification

from examples.zoo.factory import Example, described, seeded, with_statistics


def _build(config: ResNetConfig, batch: int, image: int) -> Example:
    return with_statistics(ResNetForImageClassification(config)), (torch.randn(batch, 3, image, image),), {}


@seeded
def small() -> Example:
    """Two stages of one and two bottlenecks."""
    return _build(ResNetConfig(embedding_size=16, hidden_sizes=[32, 64], depths=[1, 2]), batch=2, image=32)


@described
def full() -> Example:
    """ResNet-50, images of 224 by 224."""
    return _build(ResNetConfig(num_labels=1000), batch=1, image=224)
