"""ALBERT: all layers share their weights, and the embedding is narrower than the layers."""

from transformers import AlbertConfig, AlbertModel

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: AlbertConfig, batch: int, length: int) -> Example:
    ids = tokens(config.vocab_size, batch, length)
    return AlbertModel(config), (), {"input_ids": ids, "attention_mask": ids.new_ones(batch, length)}


@seeded
def small() -> Example:
    """Two layers of width 64."""
    shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    return _build(AlbertConfig(vocab_size=100, embedding_size=32, **shape), batch=2, length=32)


@described
def full() -> Example:
    """ALBERT-base, 384 tokens."""
    shape = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
    return _build(AlbertConfig(**shape), batch=1, length=384)
