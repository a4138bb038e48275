"""Steps of training in the runtime and in PyTorch, and how far apart what they leave is."""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils import _pytree as pytree

import ttstack
from tests.training.models import Task
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
    state: dict[str, np.ndarray]
    """What the program leaves."""
    wanted: dict[str, np.ndarray]
    """What PyTorch leaves, as float64."""

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
    losses, state = list[float](), dict[str, Any]()
    for _ in range(steps):
        done = run(program.binary, given | state)
        state = dict(done.updated)
        losses.append(float(done.outputs["loss"]))
    expected, wanted = pytorch(model, inputs, optimizer, loss=loss, target=target, steps=steps, after=after)
    apart = {name: _apart(state[name], value) for name, value in wanted.items() if name in state}
    assert apart.keys() >= {name for name, p in model.named_parameters() if p.requires_grad}
    return Trained(program, given, losses, expected, apart, state, wanted)


def pytorch(
    model: nn.Module,
    inputs: Any,
    optimizer: MakeOptimizer,
    *,
    loss: Callable[..., torch.Tensor] | None = None,
    target: torch.Tensor | None = None,
    steps: int = 10,
    after: Callable[[nn.Module, torch.optim.Optimizer], object] = lambda model, optimizer: None,
    dtype: torch.dtype = torch.float32,
) -> tuple[list[float], dict[str, np.ndarray]]:
    """Losses and state as PyTorch leaves them, whose real numbers are of a type."""
    inputs, target = pytree.tree_map_only(torch.Tensor, partial(_as_real, dtype), (inputs, target))
    reference = copy.deepcopy(model).to(dtype)
    made, losses = optimizer(reference.parameters()), list[float]()
    for _ in range(steps):
        made.zero_grad()
        output = reference(**inputs) if isinstance(inputs, dict) else reference(*inputs)
        found = getattr(output, "loss", output) if loss is None else loss(output, target)
        found.backward()
        after(reference, made)
        made.step()
        losses.append(found.item())
    return losses, {name: value.detach().double().numpy() for name, value in reference.state_dict().items()}


def from_exact(task: Task, trained: Trained, optimizer: MakeOptimizer, steps: int) -> tuple[float, float]:
    """How far the program, and PyTorch's float32, are from PyTorch's float64: the largest of all differences."""
    given: dict[str, Any] = {"loss": task.loss, "target": task.target, "steps": steps}
    _, exact = pytorch(task.model, task.inputs, optimizer, dtype=torch.float64, **given)
    real = {name: value for name, value in exact.items() if value.dtype.kind == "f" and name in trained.state}
    ours, own = (
        max(_apart(found[name], value) for name, value in real.items()) for found in (trained.state, trained.wanted)
    )
    return ours, own


def _as_real(dtype: torch.dtype, value: torch.Tensor) -> torch.Tensor:
    return value.to(dtype) if value.is_floating_point() else value


def _apart(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-30))
