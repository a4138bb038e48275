"""BERT encoders of `transformers` with random weights."""

import torch
from transformers import BertConfig, BertModel

Example = tuple[BertModel, tuple[()], dict[str, torch.Tensor]]


def build(config: BertConfig, sequence: int, batch: int) -> Example:
    torch.manual_seed(0)
    model = BertModel(config).eval()
    tokens = torch.randint(0, config.vocab_size, (batch, sequence))
    return model, (), {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}


def bert_base(sequence: int = 128, batch: int = 1) -> Example:
    return build(BertConfig(), sequence, batch)


def bert_layers() -> Example:
    """Four of the twelve layers of `bert_base`: each is placed and rewritten as the others are."""
    return build(BertConfig(num_hidden_layers=4), sequence=128, batch=1)


def bert_tiny() -> Example:
    return build(
        BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64),
        sequence=16,
        batch=2,
    )
