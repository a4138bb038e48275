"""One step of decoding with Llama: a token for each sequence, keys and values of those before in caches."""

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

from examples.zoo.factory import Example, described, seeded, tokens
from examples.zoo.llama import LLAMA_3_1_8B, SMALL

STATE = ("keys", "values", "cumulative_length")
"""What a layer of a static cache holds; the last is how many tokens."""


class DecodeStep(nn.Module):
    """Scores of the next tokens; what the caches hold are buffers, which each step updates."""

    def __init__(self, model: LlamaForCausalLM, batch: int, length: int) -> None:
        super().__init__()
        self.model, config = model, model.config
        self.cache = StaticCache(config, max_cache_len=length)
        heads, width = config.num_key_value_heads, config.hidden_size // config.num_attention_heads
        self.cache.early_initialization(batch, heads, width, model.dtype, model.device)
        for i, layer in enumerate(self.cache.layers):
            for name in STATE:
                self.register_buffer(f"{name}_{i}", getattr(layer, name))

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        """(batch, 1) tokens to (batch, 1, vocabulary)."""
        for i, layer in enumerate(self.cache.layers):
            for name in STATE:
                setattr(layer, name, getattr(self, f"{name}_{i}"))
        return self.model(input_ids, past_key_values=self.cache, use_cache=True).logits


def _build(config: LlamaConfig, batch: int, length: int, dtype: torch.dtype) -> Example:
    model = DecodeStep(LlamaForCausalLM(config).to(dtype), batch, length)
    return model, (), {"input_ids": tokens(config.vocab_size, batch, 1)}


@seeded
def small() -> Example:
    """Two layers of width 64, caches of 32 tokens, of which none is taken yet."""
    return _build(LlamaConfig(**SMALL), 2, 32, torch.float32)


@described
def full() -> Example:
    """Llama-3.1-8B, one sequence, caches of 1024 tokens."""
    return _build(LlamaConfig(**LLAMA_3_1_8B), 1, 1024, torch.bfloat16)
