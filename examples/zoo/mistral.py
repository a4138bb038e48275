"""Mistral: Llama with attention that looks back over a sliding window."""

import torch
from transformers import MistralConfig, MistralForCausalLM

from examples.zoo.factory import Example, described, seeded, tokens
from examples.zoo.llama import SMALL


def _build(config: MistralConfig, batch: int, length: int) -> Example:
    return MistralForCausalLM(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


@seeded
def small() -> Example:
    """Two layers of width 64, a window of 8 tokens."""
    return _build(MistralConfig(**SMALL, sliding_window=8), batch=2, length=32)


@described
def full() -> Example:
    """Mistral-7B v0.1, 1024 tokens in its window of 4096."""
    model, args, kwargs = _build(MistralConfig(sliding_window=4096), batch=1, length=1024)
    return model.to(torch.bfloat16), args, kwargs
