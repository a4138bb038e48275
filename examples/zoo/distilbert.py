"""DistilBERT: BERT with half of the layers and without token types."""

from transformers import DistilBertConfig, DistilBertForSequenceClassification

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: DistilBertConfig, batch: int, length: int) -> Example:
    ids = tokens(config.vocab_size, batch, length)
    inputs = {"input_ids": ids, "attention_mask": ids.new_ones(batch, length)}
    return DistilBertForSequenceClassification(config), (), inputs


@seeded
def small() -> Example:
    """Two layers of width 64."""
    return _build(DistilBertConfig(vocab_size=100, dim=64, n_layers=2, n_heads=4, hidden_dim=128), batch=2, length=32)


@described
def full() -> Example:
    """DistilBERT-base, 384 tokens."""
    return _build(DistilBertConfig(), batch=1, length=384)
