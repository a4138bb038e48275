"""Placement of whole models: predicted time of every policy, the proven gap, seconds, and what stays in L1.

`python benchmarks/placement.py [MODEL ...] [--budget SECONDS]`; the table in docs/placement.md is its output.
Models are described, without weights; formats are bf16, for Llama's prefill and decode bfp8_b.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn

_ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(_ROOT))

import ttstack  # noqa: E402
from ttstack.placement import POLICIES  # noqa: E402

Example = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]


def zoo(name: str) -> Callable[[], Example]:
    """The full model of that name in examples/zoo."""
    return lambda: import_module(f"examples.zoo.{name}").full()


def bert_base() -> Example:
    """BERT-base, 128 tokens."""
    from transformers import BertConfig, BertModel

    with torch.device("meta"):
        ids = torch.ones(1, 128, dtype=torch.int64)
        return BertModel(BertConfig()).eval(), (), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


@dataclass(frozen=True)
class Model:
    """A model and the format that it is compiled in."""

    title: str
    build: Callable[[], Example]
    dtype: str = "bf16"


MODELS = {
    "bert_base": Model("BERT-base, 128 tokens", bert_base),
    "bert_large": Model("BERT-large, 384 tokens", zoo("bert")),
    "resnet": Model("ResNet-50", zoo("resnet")),
    "vit": Model("ViT-base", zoo("vit")),
    "dlrm": Model("DLRM", zoo("dlrm")),
    "unet": Model("UNet", zoo("unet")),
    "llama": Model("Llama-3.1-8B, prefill of 1,024", zoo("llama"), "bfp8_b"),
    "decode": Model("Llama-3.1-8B, decode step", zoo("llama_decode"), "bfp8_b"),
}


@dataclass(frozen=True)
class Placed:
    """What one policy gave."""

    ms: float
    seconds: float
    """Of processor time for the whole compilation."""
    gap: float | None
    peak: int
    """Bytes of L1 of the fullest core, from the lowest used address to the highest, circular buffers included."""
    least: int
    """The largest sum of bytes that are live at once: no addresses need fewer."""
    inside: float
    """Share of the bytes of all results that are never in DRAM."""


def measure(text: str, dtype: str, policy: str, budget: float) -> Placed:
    """Compile for n150 and look at the program."""
    start = time.process_time()
    program = ttstack.compile(
        text, dtype=dtype, placement=policy, placement_budget=budget if policy == "optimal" else None
    )
    seconds = time.process_time() - start
    report = program.cost()
    l1 = report.memory["l1"]
    return Placed(report.total_ns / 1e6, seconds, report.placement_gap, l1.span, l1.peak, report.staying)


def text_of(model: Model, folder: Path) -> str:
    """The path of the model's TTIR, exported once for all policies."""
    example, args, kwargs = model.build()
    with torch.no_grad():
        exported = torch.export.export(example, tuple(args), kwargs, strict=False)
    program = ttstack.compile(exported, placement="dram", dtype=model.dtype, keep_ir=True)
    path = folder / "model.mlir"
    path.write_text(program.binary.stages["ttir"])
    return str(path)


def main() -> None:
    """Print a row for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--budget", type=float, default=60.0)
    given = parser.parse_args()
    heads = (
        "model",
        *(f"{p}, ms" for p in ("dram", "greedy", "optimal")),
        "gap",
        "seconds",
        "L1 peak / least",
        "in L1",
    )
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for name in given.models:
        with tempfile.TemporaryDirectory() as folder:
            text = text_of(MODELS[name], Path(folder))
            found = {p: measure(text, MODELS[name].dtype, p, given.budget) for p in sorted(POLICIES)}
        best = found["optimal"]
        times = " | ".join(f"{found[p].ms:.3f}" for p in ("dram", "greedy", "optimal"))
        print(
            f"| {MODELS[name].title} | {times} | {100 * (best.gap or 0):.2f} % | {best.seconds:.1f} | "
            f"{best.peak / 1024:.0f} / {best.least / 1024:.0f} KiB | {best.inside:.0%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
