"""ViT: an encoder over patches of an image."""

import torch
from transformers import ViTConfig, ViTForImageClassification

from examples.zoo.factory import Example, described, seeded


def _build(config: ViTConfig, batch: int) -> Example:
    return ViTForImageClassification(config), (torch.randn(batch, 3, config.image_size, config.image_size),), {}


@seeded
def small() -> Example:
    """Two layers of width 64, 16 patches."""
    shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    return _build(ViTConfig(image_size=32, patch_size=8, **shape), batch=2)


@described
def full() -> Example:
    """ViT-base, images of 224 by 224."""
    return _build(ViTConfig(num_labels=1000), batch=1)
