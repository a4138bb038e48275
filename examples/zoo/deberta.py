"""DeBERTa: attention over content and over relative positions apart."""

from transformers import DebertaV2Config, DebertaV2Model

from examples.zoo.factory import Example, described, seeded, tokens

RELATIVE = {
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
}
"""How version 3 attends."""


def _build(config: DebertaV2Config, batch: int, length: int) -> Example:
    ids = tokens(config.vocab_size, batch, length)
    return DebertaV2Model(config), (), {"input_ids": ids, "attention_mask": ids.new_ones(batch, length)}


@seeded
def small() -> Example:
    """Two layers of width 64, 32 buckets of positions."""
    shape = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    return _build(DebertaV2Config(vocab_size=100, **shape, **RELATIVE | {"position_buckets": 32}), batch=2, length=32)


@described
def full() -> Example:
    """DeBERTa-v3-base, 384 tokens."""
    shape = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
    return _build(DebertaV2Config(vocab_size=128100, **shape, **RELATIVE), batch=1, length=384)
