"""A program in two spellings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

import ttstack

Forward = Callable[..., Tensor]
"""Takes inputs, then parameters."""


@dataclass(frozen=True)
class Case:
    """A program, and how it would be written by hand."""

    rule: str
    """What both spellings are an instance of."""
    name: str
    spelled: Forward
    by_hand: Forward | None
    """None where PyTorch cannot spell it."""
    inputs: Sequence[Tensor]
    parameters: Sequence[Tensor] = ()

    def difference(self) -> float:
        """Return the largest difference between both, over the largest value."""
        if self.by_hand is None:
            return 0.0
        spelled, by_hand = (f(*self.inputs, *self.parameters).double() for f in (self.spelled, self.by_hand))
        return float((spelled - by_hand).abs().max() / spelled.abs().max())


@dataclass(frozen=True)
class Figures:
    """What one spelling compiles to."""

    us: float
    """Predicted microseconds."""
    ops: list[str]


class _Program(nn.Module):
    def __init__(self, forward: Forward, parameters: Sequence[Tensor]) -> None:
        super().__init__()
        self.function = forward
        self.held = nn.ParameterList([nn.Parameter(_in_bf16(p), requires_grad=False) for p in parameters])

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.function(*inputs, *self.held)


def _in_bf16(value: Tensor) -> Tensor:
    return value.to(torch.bfloat16) if value.is_floating_point() else value


def measure(forward: Forward, case: Case, system: str) -> Figures:
    """Compile one spelling in bf16."""
    inputs = tuple(map(_in_bf16, case.inputs))
    program = torch.export.export(_Program(forward, case.parameters), inputs)
    report = ttstack.compile(program, system_desc=system, dtype="bf16").cost()
    return Figures(report.total_ns / 1e3, [op.name for op in report.ops])
