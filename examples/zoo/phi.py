"""Phi: attention and MLP side by side, rotary positions on a part of each head."""

import torch
from transformers import PhiConfig, PhiForCausalLM

from examples.zoo.factory import Example, described, seeded, tokens
from examples.zoo.llama import SMALL


def _build(config: PhiConfig, batch: int, length: int) -> Example:
    return PhiForCausalLM(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


@seeded
def small() -> Example:
    """Two layers of width 64."""
    return _build(PhiConfig(**SMALL | {"num_key_value_heads": 4}), batch=2, length=32)


@described
def full() -> Example:
    """Phi-2, 1024 tokens."""
    shape = {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 32, "num_attention_heads": 32}
    model, args, kwargs = _build(PhiConfig(**shape, partial_rotary_factor=0.4), batch=1, length=1024)
    return model.to(torch.bfloat16), args, kwargs
