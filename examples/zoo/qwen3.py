"""Qwen3: Llama with RMS norms of each head's queries and keys."""

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from examples.zoo.factory import Example, described, seeded, tokens
from examples.zoo.llama import SMALL


def _build(config: Qwen3Config, batch: int, length: int) -> Example:
    return Qwen3ForCausalLM(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


@seeded
def small() -> Example:
    """Two layers of width 64."""
    return _build(Qwen3Config(**SMALL, head_dim=16), batch=2, length=32)


@described
def full() -> Example:
    """Qwen3-0.6B, 1024 tokens."""
    shape = {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "head_dim": 128}
    heads = {"num_attention_heads": 16, "num_key_value_heads": 8, "tie_word_embeddings": True}
    model, args, kwargs = _build(Qwen3Config(**shape, **heads), batch=1, length=1024)
    return model.to(torch.bfloat16), args, kwargs
