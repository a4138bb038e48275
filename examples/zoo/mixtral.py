"""Mixtral: each token goes to the two of eight experts that a router chooses."""

import torch
from transformers import MixtralConfig, MixtralForCausalLM

from examples.zoo.factory import Example, described, seeded, tokens
from examples.zoo.llama import SMALL


def _build(config: MixtralConfig, batch: int, length: int) -> Example:
    return MixtralForCausalLM(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


@seeded
def small() -> Example:
    """Two layers of width 64, four experts."""
    return _build(MixtralConfig(**SMALL, num_local_experts=4), batch=2, length=16)


@described
def full() -> Example:
    """Four of the 32 layers of Mixtral-8x7B, as all of them exceed the DRAM of the card; 128 tokens."""
    model, args, kwargs = _build(MixtralConfig(num_hidden_layers=4), batch=1, length=128)
    return model.to(torch.bfloat16), args, kwargs
