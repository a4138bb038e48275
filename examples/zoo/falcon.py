"""Falcon: attention and MLP side by side, all query heads on one head of keys and values."""

import torch
from transformers import FalconConfig, FalconForCausalLM

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: FalconConfig, batch: int, length: int) -> Example:
    return FalconForCausalLM(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


@seeded
def small() -> Example:
    """Two layers of width 64."""
    config = FalconConfig(vocab_size=100, hidden_size=64, num_hidden_layers=2, num_attention_heads=4)
    return _build(config, batch=2, length=32)


@described
def full() -> Example:
    """Falcon-7B, 1024 tokens."""
    model, args, kwargs = _build(FalconConfig(), batch=1, length=1024)
    return model.to(torch.bfloat16), args, kwargs
