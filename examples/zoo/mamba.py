"""Mamba: selective state spaces, a scan over the tokens in place of attention."""

import torch
from transformers import MambaConfig, MambaForCausalLM

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: MambaConfig, batch: int, length: int) -> Example:
    return MambaForCausalLM(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


@seeded
def small() -> Example:
    """Two layers of width 32, 8 tokens."""
    config = MambaConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, state_size=8)
    return _build(config, batch=2, length=8)


@described
def full() -> Example:
    """Mamba-130M, 16 tokens: the scan is unrolled."""
    model, args, kwargs = _build(MambaConfig(hidden_size=768, num_hidden_layers=24), batch=1, length=16)
    return model.to(torch.bfloat16), args, kwargs
