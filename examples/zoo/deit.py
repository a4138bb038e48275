"""DeiT: ViT with a token for distillation, and a classifier on each of the two tokens."""

import torch
from transformers import DeiTConfig, DeiTForImageClassificationWithTeacher

from examples.zoo.factory import Example, described, seeded


def _build(config: DeiTConfig, batch: int) -> Example:
    images = torch.randn(batch, 3, config.image_size, config.image_size)
    return DeiTForImageClassificationWithTeacher(config), (images,), {}


@seeded
def small() -> Example:
    """Two layers of width 64, 16 patches."""
    shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    return _build(DeiTConfig(image_size=32, patch_size=8, **shape), batch=2)


@described
def full() -> Example:
    """DeiT-base, images of 224 by 224."""
    return _build(DeiTConfig(num_labels=1000), batch=1)
