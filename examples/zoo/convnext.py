"""ConvNeXt: depthwise convolutions, norms over the channels and inverted bottlenecks."""

import torch
from transformers import ConvNextConfig, ConvNextForImageClassification

from examples.zoo.factory import Example, described, seeded


def _build(config: ConvNextConfig, batch: int, image: int) -> Example:
    return ConvNextForImageClassification(config), (torch.randn(batch, 3, image, image),), {}


@seeded
def small() -> Example:
    """Two stages of one and two blocks."""
    return _build(ConvNextConfig(num_stages=2, hidden_sizes=[16, 32], depths=[1, 2]), batch=2, image=32)


@described
def full() -> Example:
    """ConvNeXt-tiny, images of 224 by 224."""
    return _build(ConvNextConfig(num_labels=1000), batch=1, image=224)
