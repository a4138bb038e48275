"""CLIP: an encoder of images and one of text, and the similarity of every pair."""

import torch
from transformers import CLIPConfig, CLIPModel

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: CLIPConfig, batch: int, length: int) -> Example:
    image = config.vision_config.image_size
    inputs = {
        "input_ids": tokens(config.text_config.vocab_size, batch, length),
        "pixel_values": torch.randn(batch, 3, image, image),
        "attention_mask": torch.ones(batch, length, dtype=torch.int64),
    }
    return CLIPModel(config), (), inputs


@seeded
def small() -> Example:
    """Two layers of width 64 on either side."""
    shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    text = {"vocab_size": 100, "max_position_embeddings": 32, "bos_token_id": 0, "eos_token_id": 99, **shape}
    vision = {"image_size": 32, "patch_size": 8, **shape}
    return _build(CLIPConfig(text_config=text, vision_config=vision, projection_dim=32), batch=2, length=16)


@described
def full() -> Example:
    """CLIP ViT-B/32, one image and four texts of 77 tokens."""
    return _build(CLIPConfig(), batch=4, length=77)
