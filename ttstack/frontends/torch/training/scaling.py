"""An adaptive loss scale, as in PyTorch's GradScaler."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import torch
from torch import Tensor

DYNAMIC = "dynamic"
"""The option's value for it."""

_SCALE, _STEPS = "loss_scale.scale", "loss_scale.steps"
_FIRST, _GROWTH, _BACKOFF, _INTERVAL = 2.0**16, 2.0, 0.5, 2000
"""The defaults of GradScaler in PyTorch 2.13."""


def new_state() -> dict[str, Tensor]:
    """Return the scale, and the number of steps taken with it, before the first step."""
    return {_SCALE: torch.tensor(_FIRST), _STEPS: torch.zeros(())}


@dataclass(frozen=True)
class DynamicScale:
    """The scale of one step, and the handling of gradients that overflow."""

    scale: Tensor
    state: Mapping[str, Tensor]

    @staticmethod
    def of_step(state: Mapping[str, Tensor]) -> "DynamicScale":
        """Create that of the step of `state`."""
        return DynamicScale(state[_SCALE].clone(), state)

    def finish(self, gradients: Sequence[Tensor], before: Mapping[str, Tensor], after: Mapping[str, Tensor]) -> None:
        """Restore `after` to `before` if a gradient is not finite, and write the next scale.

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
