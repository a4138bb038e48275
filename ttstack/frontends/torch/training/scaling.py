"""A scale of the loss that is found while training, as PyTorch's GradScaler finds it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import torch
from torch import Tensor

DYNAMIC = "dynamic"
"""How users ask for it."""

_SCALE, _STEPS = "loss_scale.scale", "loss_scale.steps"
_FIRST, _GROWTH, _BACKOFF, _INTERVAL = 2.0**16, 2.0, 0.5, 2000
"""What GradScaler of PyTorch 2.13 begins with."""


def new_state() -> dict[str, Tensor]:
    """The scale, and how many steps have been taken with it, before the first step."""
    return {_SCALE: torch.tensor(_FIRST), _STEPS: torch.zeros(())}


@dataclass(frozen=True)
class DynamicScale:
    """The scale of one step, and what becomes of the step where gradients are too large for it."""

    scale: Tensor
    state: Mapping[str, Tensor]

    @staticmethod
    def of_step(state: Mapping[str, Tensor]) -> "DynamicScale":
        """That of the step that `state` is from."""
        return DynamicScale(state[_SCALE].clone(), state)

    def finish(self, gradients: Sequence[Tensor], before: Mapping[str, Tensor], after: Mapping[str, Tensor]) -> None:
        """Put `after` back to what was `before` where a gradient is no finite number, and write the next scale.

        The scale is then halved; it is doubled after 2,000 steps without such a gradient.
        """
        finite = reduce(torch.logical_and, [g.abs().sum() < torch.inf for g in gradients])
        for name, value in before.items():
            after[name].copy_(torch.where(finite, after[name], value))
        steps = self.state[_STEPS] + 1
        grown = steps >= _INTERVAL
        larger = torch.where(grown, self.scale * _GROWTH, self.scale)
        self.state[_SCALE].copy_(torch.where(finite, larger, self.scale * _BACKOFF))
        self.state[_STEPS].copy_(torch.where(finite & ~grown, steps, 0))
