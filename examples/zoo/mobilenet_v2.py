"""MobileNetV2: inverted residuals with depthwise convolutions and ReLU6."""

import torch
from transformers import MobileNetV2Config, MobileNetV2ForImageClassification

from examples.zoo.factory import Example, described, seeded, with_statistics


def _build(config: MobileNetV2Config, batch: int) -> Example:
    images = torch.randn(batch, 3, config.image_size, config.image_size)
    return with_statistics(MobileNetV2ForImageClassification(config)), (images,), {}


@seeded
def small() -> Example:
    """A quarter of the width, images of 32 by 32."""
    return _build(MobileNetV2Config(image_size=32, depth_multiplier=0.25), batch=1)


@described
def full() -> Example:
    """MobileNetV2 of width 1, images of 224 by 224."""
    return _build(MobileNetV2Config(num_labels=1001), batch=1)
