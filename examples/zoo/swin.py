"""Swin: attention in windows that shift from layer to layer, and patches that merge from stage to stage."""

import torch
from transformers import SwinConfig, SwinForImageClassification

from examples.zoo.factory import Example, described, seeded


def _build(config: SwinConfig, batch: int) -> Example:
    return SwinForImageClassification(config), (torch.randn(batch, 3, config.image_size, config.image_size),), {}


@seeded
def small() -> Example:
    """Two stages of two layers, from width 16, windows of 4 by 4."""
    shape = {"embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4}
    return _build(SwinConfig(image_size=32, patch_size=2, **shape), batch=2)


@described
def full() -> Example:
    """Swin-tiny, images of 224 by 224."""
    return _build(SwinConfig(num_labels=1000), batch=1)
