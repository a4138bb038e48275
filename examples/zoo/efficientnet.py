"""EfficientNet: inverted residuals that weigh their channels by a squeeze and an excitation, with SiLU."""

import torch
from transformers import EfficientNetConfig, EfficientNetForImageClassification

from examples.zoo.factory import Example, described, seeded, with_statistics

B0 = {"image_size": 224, "width_coefficient": 1.0, "depth_coefficient": 1.0, "hidden_dim": 1280}
"""https://arxiv.org/abs/1905.11946, table 1."""


def _build(config: EfficientNetConfig, batch: int) -> Example:
    images = torch.randn(batch, 3, config.image_size, config.image_size)
    return with_statistics(EfficientNetForImageClassification(config)), (images,), {}


@seeded
def small() -> Example:
    """Three stages, images of 32 by 32."""
    stages = {
        "in_channels": [32, 16, 24],
        "out_channels": [16, 24, 40],
        "kernel_sizes": [3, 3, 5],
        "strides": [1, 2, 2],
        "num_block_repeats": [1, 1, 2],
        "expand_ratios": [1, 6, 6],
        "depthwise_padding": [],
    }
    return _build(EfficientNetConfig(**B0 | {"image_size": 32} | stages), batch=2)


@described
def full() -> Example:
    """EfficientNet-B0, images of 224 by 224."""
    return _build(EfficientNetConfig(**B0, num_labels=1000), batch=1)
