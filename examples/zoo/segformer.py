"""SegFormer: a hierarchical encoder whose attention reads fewer keys, and a decoder that classifies each pixel."""

import torch
from transformers import SegformerConfig, SegformerForSemanticSegmentation

from examples.zoo.factory import Example, described, seeded, with_statistics


def _build(config: SegformerConfig, batch: int, image: int) -> Example:
    return with_statistics(SegformerForSemanticSegmentation(config)), (torch.randn(batch, 3, image, image),), {}


@seeded
def small() -> Example:
    """Four stages of one layer, from width 16."""
    widths = {"hidden_sizes": [16, 32, 32, 64], "num_attention_heads": [1, 2, 2, 4], "decoder_hidden_size": 32}
    return _build(SegformerConfig(depths=[1, 1, 1, 1], mlp_ratios=[2, 2, 2, 2], **widths), batch=1, image=64)


@described
def full() -> Example:
    """SegFormer-B0 with the 150 classes of ADE20K, images of 512 by 512."""
    return _build(SegformerConfig(num_labels=150), batch=1, image=512)
