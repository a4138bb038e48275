"""GPT-2: a decoder with learned positions and tanh-approximated GELU; the embedding is the head too."""

from transformers import GPT2Config, GPT2LMHeadModel

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: GPT2Config, batch: int, length: int) -> Example:
    return GPT2LMHeadModel(config), (), {"input_ids": tokens(config.vocab_size, batch, length), "use_cache": False}


@seeded
def small() -> Example:
    """Two layers of width 64."""
    return _build(GPT2Config(vocab_size=100, n_embd=64, n_layer=2, n_head=4, n_positions=64), batch=2, length=32)


@described
def full() -> Example:
    """GPT-2 with 124 million parameters, 1024 tokens."""
    return _build(GPT2Config(), batch=1, length=1024)
