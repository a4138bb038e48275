"""Placement of whole models: predicted time of every policy, the proven gap, seconds, and what stays in L1.

`python benchmarks/placement.py [MODEL ...] [--budget SECONDS] [--loosen FACTOR]` prints the first table of
docs/placement-results.md. With a factor, `optimal` also runs with looser heuristics for the candidates that are priced.
Models are described, without weights; formats are bf16, for Llama's prefill and decode bfp8_b.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import nn

_ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(_ROOT))

import ttstack  # noqa: E402
from ttstack.device.matmul import configs as matmul_configs  # noqa: E402
from ttstack.options.choices import Policy  # noqa: E402
from ttstack.placement import candidates  # noqa: E402

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

    us: float
    seconds: float
    """Processor time of the whole compilation."""
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
    return Placed(report.total_ns / 1e3, seconds, report.placement_gap, l1.span, l1.peak, report.staying)


def text_of(model: Model, folder: Path) -> str:
    """The path of the model's TTIR, exported once for all policies."""
    example, args, kwargs = model.build()
    with torch.no_grad():
        exported = torch.export.export(example, tuple(args), kwargs, strict=False)
    program = ttstack.compile(exported, placement="dram", dtype=model.dtype, keep_ir=True)
    path = folder / "model.mlir"
    path.write_text(program.binary.stages["ttir"])
    return str(path)


@contextmanager
def loosened(factor: float) -> Iterator[None]:
    """The rules of thumb that bound what is priced, with `factor` times their slack."""
    slacks = ((candidates, "WORK_SLACK"), (matmul_configs, "TRAFFIC_SLACK"))
    before = [getattr(module, name) for module, name in slacks]
    for (module, name), slack in zip(slacks, before, strict=True):
        setattr(module, name, factor * slack)
    yield
    for (module, name), slack in zip(slacks, before, strict=True):
        setattr(module, name, slack)


def row(model: Model, budget: float, factor: float | None) -> str:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        text = text_of(model, Path(folder))
        found = {p: measure(text, model.dtype, p, budget) for p in sorted(Policy)}
        best = found["optimal"]
        cells = [model.title, *(f"{found[p].us:,.1f}" for p in ("dram", "greedy", "optimal"))]
        cells += [f"{100 * (best.gap or 0):.2f} %", f"{best.seconds:.1f}"]
        cells += [f"{best.peak / 1024:.0f} / {best.least / 1024:.0f} KiB", f"{100 * best.inside:.0f} %"]
        if factor is not None:
            with loosened(factor):
                loose = measure(text, model.dtype, "optimal", budget)
            cells += [f"{loose.us:,.1f} ({100 * (loose.us / best.us - 1):+.3f} %), {loose.seconds:.1f} s"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print a row for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--loosen", type=float, metavar="FACTOR", help="also with looser rules of thumb")
    given = parser.parse_args()
    heads = ["model", "dram, µs", "greedy, µs", "optimal, µs", "gap", "seconds", "L1 peak / least", "in L1"]
    heads += [] if given.loosen is None else ["loosened, µs"]
    sys.stdout.write("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads) + "\n")
    for name in given.models:
        sys.stdout.write(row(MODELS[name], given.budget, given.loosen) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
