"""The random model of a seed and a number."""

from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor, nn

from benchmarks.random_models.attention import Transformer, draw_shape
from benchmarks.random_models.caches import Prefill, draw_step
from benchmarks.random_models.graphs import draw_graph
from benchmarks.random_models.pages import draw_paged_prefill
from benchmarks.random_models.recurrences import KINDS

GRAPH = "graph"
"""The kind that is only drawn if it is named."""


@dataclass(frozen=True)
class Example:
    """A model, what it takes, and what it is."""

    model: nn.Module
    inputs: tuple[Tensor, ...]
    about: str


def draw(seed: int, number: int, kind: str | None = None) -> Example:
    """Draw a model and its inputs, the same each time; of that kind, if one is named."""
    rng = Random(f"{seed}/{number}")
    with torch.random.fork_rng():
        torch.manual_seed(rng.randrange(2**31))
        kind = kind or rng.choice(("attention",) * 5 + ("step",) * 3 + ("prefill",) * 2 + (*KINDS,))
        model, inputs, about = _drawn(rng, kind)
        return Example(model.eval().requires_grad_(False), inputs, f"{kind} {about}")


def _drawn(rng: Random, kind: str) -> tuple[nn.Module, tuple[Tensor, ...], object]:
    if kind == GRAPH:
        graph, inputs = draw_graph(rng)
        return graph, inputs, f"{graph} of {tuple(inputs[0].shape)}"
    if kind in KINDS:
        model, inputs = KINDS[kind](rng)
        return model, inputs, f"{model} of {', '.join(str(tuple(t.shape)) for t in inputs)}".replace("\n", "")
    shape = draw_shape(rng, 1 if kind == "step" else None)
    if kind == "step":
        step, inputs = draw_step(rng, shape)
        return step, inputs, f"{shape} room={step.room} write={step.write} {getattr(step, 'ring', '')}"
    if kind == "prefill" and rng.random() < 0.6:
        paged, inputs = draw_paged_prefill(rng, shape)
        return paged, inputs, f"{shape} pages ({paged.pages.extra_repr()})"
    model = Transformer(shape) if kind == "attention" else Prefill(shape, shape.length + rng.choice((0, 3, 31)))
    return model, (torch.randn(shape.users, shape.length, shape.width),), shape
