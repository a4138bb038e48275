"""BERT: an encoder with learned positions and a norm after each layer."""

from transformers import BertConfig, BertModel

from examples.zoo.factory import Example, described, seeded, tokens


def _build(config: BertConfig, batch: int, length: int) -> Example:
    ids = tokens(config.vocab_size, batch, length)
    return BertModel(config), (), {"input_ids": ids, "attention_mask": ids.new_ones(batch, length)}


@seeded
def small() -> Example:
    """Two layers of width 64."""
    shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    return _build(BertConfig(vocab_size=100, **shape), batch=2, length=32)


@described
def full() -> Example:
    """BERT-large, 384 tokens."""
    shape = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
    return _build(BertConfig(**shape), batch=1, length=384)


@described
def with_weights() -> Example:
    """A layer of BERT-base that gives the weights of its attention too: 4 texts of 384 tokens."""
    config = BertConfig(num_hidden_layers=1, attn_implementation="eager", output_attentions=True)
    return _build(config, batch=4, length=384)
