"""What masks that are known when compiling save: predicted time and compile time with and without `fold-masks`.

`python -m benchmarks.masks [MODEL ...] [--layers N] [--system-desc NAME]`, from the repository's root. Models are
described on PyTorch's meta device and compiled in bf16; both compilations start from one exported program,
and take turns.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel, GPT2Config, GPT2Model, MistralConfig, MistralModel

import ttstack
from ttstack.report.report import Report

DOCUMENTS = (900, 700, 600, 500, 450, 400, 300, 246)
PREFIX = 512
_HEAD = ("model", "tiles", "attention ms", "without", "all ms", "without", "compile s of processor time", "without")


class Masked(nn.Module):
    """A model whose attention sees what a function of the places of queries and keys says."""

    def __init__(self, model: nn.Module, sees: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.model, self.sees = model, sees

    def forward(self, ids: Tensor) -> Tensor:
        """The last hidden states."""
        at = torch.arange(ids.shape[1])
        seen = self.sees(at[:, None], at[None, :])
        mask = torch.where(seen, 0.0, torch.finfo(torch.bfloat16).min).to(torch.bfloat16)[None, None]
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state


def mistral(layers: int) -> tuple[nn.Module, int]:
    """Mistral 7B, whose layers see the last 4,096 tokens; the model makes the mask."""
    config = MistralConfig(num_hidden_layers=layers, sliding_window=4096, use_cache=False)
    return Whole(MistralModel(config)), 16384


def bert(layers: int) -> tuple[nn.Module, int]:
    """BERT-base on documents one behind the other."""
    length, ends = sum(DOCUMENTS), (*accumulate(DOCUMENTS),)
    config = BertConfig(num_hidden_layers=layers, max_position_embeddings=length)

    def sees(q: Tensor, k: Tensor) -> Tensor:
        first, second = (torch.stack([x >= end for end in ends]).sum(0) for x in (q, k))
        return torch.eq(first, second)

    return Masked(BertModel(config, add_pooling_layer=False), sees), length


def prefix_lm(layers: int) -> tuple[nn.Module, int]:
    """GPT-2 whose first tokens see each other."""
    config = GPT2Config(n_layer=layers, n_positions=2048, use_cache=False)
    return Masked(GPT2Model(config), lambda q, k: (k <= q) | (k < PREFIX)), 2048


class Whole(nn.Module):
    """A model by its last hidden states."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor) -> Tensor:
        """The last hidden states."""
        return self.model(input_ids=ids).last_hidden_state


MODELS: dict[str, Callable[[int], tuple[nn.Module, int]]] = {"mistral": mistral, "bert": bert, "prefix-lm": prefix_lm}


@dataclass(frozen=True)
class Compiled:
    """One compilation: its report and the processor time that it took."""

    report: Report
    seconds: float

    @property
    def attention_ms(self) -> float:
        """Predicted time of attention."""
        return sum(op.elapsed_ns for op in self.report.ops if "attention" in op.name) / 1e6

    @property
    def visited(self) -> float:
        """Share of the tiles of scores that attention visits."""
        shares = [
            1.0 if op.visited_share is None else op.visited_share for op in self.report.ops if "attention" in op.name
        ]
        return sum(shares) / max(len(shares), 1)


def compiled(program: Any, system: str, **options: Any) -> Compiled:
    """Compile, and price."""
    start = time.process_time()
    found = ttstack.compile(program, system_desc=system, dtype="bf16", **options)
    return Compiled(found.cost(), time.process_time() - start)


def measure(name: str, layers: int, system: str) -> tuple[str, ...]:
    """The row of one model."""
    with torch.device("meta"), torch.no_grad():
        model, length = MODELS[name](layers)
        ids = torch.ones(1, length, dtype=torch.int64)
        program = torch.export.export(model.eval().to(torch.bfloat16), (ids,))
    compiled(program, system)  # what is imported and remembered once counts for neither
    without, found = compiled(program, system, without="fold-masks"), compiled(program, system)
    pairs = (
        (found.attention_ms, without.attention_ms),
        (found.report.total_ns / 1e6, without.report.total_ns / 1e6),
        (found.seconds, without.seconds),
    )
    title = f"{name}, {layers} layers, {length:,} tokens"
    return (title, f"{found.visited:.1%}", *(f"{value:.2f}" for pair in pairs for value in pair))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--system-desc", default="wormhole")
    given = parser.parse_args()
    sys.stdout.write(f"| {' | '.join(_HEAD)} |\n|{' --- |' * len(_HEAD)}\n")
    for name in given.models:
        sys.stdout.write(f"| {' | '.join(measure(name, given.layers, given.system_desc))} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
