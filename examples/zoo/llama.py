"""Llama: a decoder with rotary positions, RMS norms, a gated MLP and grouped-query attention."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from examples.zoo.factory import Example, described, seeded, tokens

SMALL = {
    "vocab_size": 100,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
LLAMA_3_1_8B = {
    "vocab_size": 128256,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
}
"""https://huggingface.co/meta-llama/Llama-3.1-8B/blob/main/config.json"""


def _build(config: LlamaConfig, batch: int, length: int) -> Example:
    return LlamaForCausalLM(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


def of_last_token(config: LlamaConfig, length: int) -> Example:
    """A prompt of `length` tokens, and the logits of the last one."""
    model, args, kwargs = _build(config, 1, length)
    return model, args, kwargs | {"logits_to_keep": 1}


@seeded
def small() -> Example:
    """Two layers of width 64, two query heads for each head of keys and values."""
    return _build(LlamaConfig(**SMALL), batch=2, length=32)


@described
def full() -> Example:
    """Llama-3.1-8B, a prefill of 1024 tokens."""
    model, args, kwargs = _build(LlamaConfig(**LLAMA_3_1_8B), batch=1, length=1024)
    return model.to(torch.bfloat16), args, kwargs
