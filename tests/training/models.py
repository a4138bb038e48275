"""Models to train, each with inputs, targets and a loss, as PyTorch initialises them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from ttstack.tensor_train.torch import TensorTrainEmbeddingBag


@dataclass(frozen=True)
class Task:
    """What a step of training is made of; without a loss the model gives it."""

    model: nn.Module
    inputs: Any
    loss: Callable[..., torch.Tensor] | None = None
    target: torch.Tensor | None = None


def mlp() -> Task:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 10))
    return Task(model, (torch.randn(8, 32),), F.cross_entropy, torch.randint(0, 10, (8,)))


class Block(nn.Module):
    """Two convolutions around a shortcut."""

    def __init__(self, taken: int, given: int, stride: int, activation: nn.Module) -> None:
        super().__init__()
        self.activation = activation
        self.first = nn.Sequential(nn.Conv2d(taken, given, 3, stride, 1, bias=False), nn.BatchNorm2d(given))
        self.second = nn.Sequential(nn.Conv2d(given, given, 3, 1, 1, bias=False), nn.BatchNorm2d(given))
        short = nn.Sequential(nn.Conv2d(taken, given, 1, stride, bias=False), nn.BatchNorm2d(given))
        self.short = nn.Identity() if (taken, stride) == (given, 1) else short

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.activation(self.second(self.activation(self.first(x))) + self.short(x))


def resnet(
    widths: tuple[int, ...] = (64, 128, 256, 512),
    each: int = 2,
    batch: int = 8,
    size: int = 64,
    *,
    smooth: bool = False,
    seed: int = 0,
) -> Task:
    """ResNet-18 at the standard widths, in which rounding decides what ReLUs and a max pool pass unless `smooth`."""
    torch.manual_seed(seed)
    activation = nn.SiLU() if smooth else nn.ReLU()
    pool = nn.AvgPool2d(3, 2, 1) if smooth else nn.MaxPool2d(3, 2, 1)
    stem = [nn.Conv2d(3, widths[0], 7, 2, 3, bias=False), nn.BatchNorm2d(widths[0]), activation, pool]
    blocks, taken = list[nn.Module](), widths[0]
    block = partial(Block, activation=activation)
    for width in widths:
        blocks += [block(taken, width, 1 if width == taken else 2), *(block(width, width, 1) for _ in range(each - 1))]
        taken = width
    model = nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(taken, 10))
    return Task(model, (torch.randn(batch, 3, size, size),), F.cross_entropy, torch.randint(0, 10, (batch,)))


class _Dlrm(nn.Module):
    def __init__(self, tables: Sequence[nn.Module], width: int) -> None:
        super().__init__()
        self.bottom = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, width), nn.ReLU())
        self.tables = nn.ModuleList(tables)
        pairs = len(tables) * (len(tables) + 1) // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 32), nn.ReLU(), nn.Linear(32, 1))
        self.register_buffer("pairs", torch.tril_indices(len(tables) + 1, len(tables) + 1, -1), persistent=False)

    def forward(self, dense: torch.Tensor, picked: torch.Tensor) -> torch.Tensor:
        x = self.bottom(dense)
        bags = [table(picked[:, i]) for i, table in enumerate(self.tables)]
        features = torch.stack([x, *bags], 1)
        rows, columns = self.get_buffer("pairs")
        products = torch.bmm(features, features.transpose(1, 2))[:, rows, columns]
        return self.top(torch.cat([x, products], 1)).squeeze(1)


def dlrm(tables: int = 4, rows: int = 100, batch: int = 8, ranks: int | None = None) -> Task:
    """DLRM with dense tables, or with such in Tensor-Train form of these ranks."""
    torch.manual_seed(0)
    inputs = (torch.randn(batch, 13), torch.randint(0, rows, (batch, tables, 3)))
    dense, train = partial(nn.EmbeddingBag, rows, 16, mode="sum"), partial(TensorTrainEmbeddingBag, rows, 16)
    made = [dense() if ranks is None else train(mode="sum", ranks=ranks) for _ in range(tables)]
    model = _Dlrm(made, 16)
    return Task(model, inputs, F.binary_cross_entropy_with_logits, torch.rand(batch).round())


def gpt2(layers: int = 4) -> Task:
    """GPT-2 without dropout, by transformers."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    sizes = {"n_layer": layers, "n_embd": 64, "n_head": 4, "n_positions": 32, "vocab_size": 256}
    no_dropout = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0)
    model = GPT2LMHeadModel(GPT2Config(**sizes, **no_dropout, use_cache=False))
    ids = torch.randint(0, 256, (2, 32))
    return Task(_with_biases(model), {"input_ids": ids, "labels": ids.clone()})


def bert(layers: int = 2) -> Task:
    """BERT for the classification of sequences, without dropout, by transformers."""
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 256, "vocab_size": 256}
    no_dropout: dict[str, Any] = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    config = BertConfig(num_hidden_layers=layers, max_position_embeddings=32, **sizes, **no_dropout)
    given = {"input_ids": torch.randint(0, 256, (2, 32)), "attention_mask": torch.ones(2, 32, dtype=torch.int64)}
    return Task(_with_biases(BertForSequenceClassification(config)), {**given, "labels": torch.tensor([0, 1])})


def _with_biases(model: nn.Module) -> nn.Module:
    """As trained: softmax leaves a bias of keys no gradient but rounding, beside which 0 is not a value to compare with."""
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(parameter, std=0.02)
    return model
