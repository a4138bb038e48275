"""Gemma: norms that scale by 1 + weight, a scaled embedding, a GELU gate and one head of keys and values."""

import torch
from transformers import GemmaConfig, GemmaForCausalLM

from examples.zoo.factory import Example, described, seeded, tokens
from examples.zoo.llama import SMALL


def _build(config: GemmaConfig, batch: int, length: int) -> Example:
    return GemmaForCausalLM(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


@seeded
def small() -> Example:
    """Two layers of width 64."""
    return _build(GemmaConfig(**SMALL | {"num_key_value_heads": 1, "head_dim": 32}), batch=2, length=32)


@described
def full() -> Example:
    """Gemma-2B, 1024 tokens."""
    shape = {"hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256}
    model, args, kwargs = _build(GemmaConfig(**shape, **heads), batch=1, length=1024)
    return model.to(torch.bfloat16), args, kwargs
