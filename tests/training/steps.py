"""Steps of training in the runtime and in PyTorch, and how far apart what they leave is."""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils import _pytree as pytree

import ttstack
from ttstack_runtime.executor import run

MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


@dataclass(frozen=True)
class Trained:
    """Losses of each step, and the largest difference over the largest value of each tensor of the state."""

    program: ttstack.Program
    batch: dict[str, Any]
    """What every step was given."""
    losses: list[float]
    expected: list[float]
    apart: dict[str, float]

    @property
    def worst(self) -> float:
        """The largest of all differences, losses among them."""
        losses = [abs(a - b) / abs(b) for a, b in zip(self.losses, self.expected, strict=True)]
        return max(*losses, *self.apart.values())


def train(
    model: nn.Module,
    inputs: Any,
    optimizer: MakeOptimizer,
    *,
    loss: Callable[..., torch.Tensor] | None = None,
    target: torch.Tensor | None = None,
    steps: int = 10,
    after: Callable[[nn.Module, torch.optim.Optimizer], object] = lambda model, optimizer: None,
    **options: Any,
) -> Trained:
    """Take steps both ways on the same values; `after` is called between gradients and update in PyTorch."""
    program = ttstack.compile_step(model, inputs, optimizer=optimizer, loss=loss, targets=target, **options)
    leaves = [*pytree.tree_leaves(inputs), *([] if target is None else [target])]
    given = {name: leaf.numpy() for name, leaf in zip(program.inputs(), leaves, strict=True)}
    reference = copy.deepcopy(model)
    made = optimizer(reference.parameters())
    losses, expected, state = list[float](), list[float](), dict[str, Any]()
    for _ in range(steps):
        done = run(program.binary, given | state)
        state = dict(done.updated)
        losses.append(float(done.outputs["loss"]))
        made.zero_grad()
        output = reference(**inputs) if isinstance(inputs, dict) else reference(*inputs)
        found = getattr(output, "loss", output) if loss is None else loss(output, target)
        found.backward()
        after(reference, made)
        made.step()
        expected.append(found.item())
    wanted = {name: value.detach().double().numpy() for name, value in reference.state_dict().items()}
    apart = {name: _apart(state[name], value) for name, value in wanted.items() if name in state}
    assert apart.keys() >= {name for name, p in reference.named_parameters() if p.requires_grad}
    return Trained(program, given, losses, expected, apart)


def _apart(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-30))
