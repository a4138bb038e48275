"""T5: an encoder and a decoder with biases of relative position and cross-attention."""

from transformers import T5Config, T5ForConditionalGeneration

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: T5Config, batch: int, length: int, generated: int) -> Example:
    inputs = {
        "input_ids": tokens(config.vocab_size, batch, length),
        "decoder_input_ids": tokens(config.vocab_size, batch, generated),
        "use_cache": False,
    }
    return T5ForConditionalGeneration(config), (), inputs


@seeded
def small() -> Example:
    """Two layers of width 64 on either side."""
    config = T5Config(vocab_size=100, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4)
    return _build(config, batch=2, length=32, generated=16)


@described
def full() -> Example:
    """T5-base, 512 tokens in and 64 out."""
    config = T5Config(d_model=768, d_ff=3072, num_layers=12, num_heads=12)
    return _build(config, batch=1, length=512, generated=64)
