"""RoBERTa: BERT whose positions are counted from what is not padding, with a head that predicts masked tokens."""

from transformers import RobertaConfig, RobertaForMaskedLM

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: RobertaConfig, batch: int, length: int) -> Example:
    ids = tokens(config.vocab_size, batch, length)
    return RobertaForMaskedLM(config), (), {"input_ids": ids, "attention_mask": ids.new_ones(batch, length)}


@seeded
def small() -> Example:
    """Two layers of width 64."""
    shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    return _build(RobertaConfig(vocab_size=100, **shape), batch=2, length=32)


@described
def full() -> Example:
    """RoBERTa-base, 384 tokens."""
    return _build(RobertaConfig(vocab_size=50265, max_position_embeddings=514), batch=1, length=384)
