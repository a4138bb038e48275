"""In-place ops between layers: those whose memory nobody else reads are imported without tracing the program again."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import ExportedProgram

import ttstack

X = torch.linspace(-2, 2, 2 * 3 * 8 * 8).reshape(2, 3, 8, 8)


class Residual(nn.Module):
    """A convolution whose result `update` changes in place."""

    def __init__(self, update: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)
        self.update = update

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.update(self.norm(self.conv(x)), x) * 2


PRIVATE: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "addition": lambda y, x: y.add_(x),
    "scaled addition": lambda y, x: y.add_(x, alpha=0.5),
    "chain": lambda y, x: y.mul_(3).sub_(x).relu_(),
    "activation": lambda y, _: y.sigmoid_(),
    "of an addition": lambda y, x: (y + x).tanh_(),
}
SHARED: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "view before it": lambda y, x: y.view(2, 3, 64).sum() + y.add_(x),
    "view of it changed": lambda y, x: y[:, 1:].add_(x[:, 1:]) + y[:, 1:],
    "another element type": lambda y, x: y.half().add_(x).float(),
    "integers": lambda y, x: y.int().add_(x.int()).float(),
    "comparison": lambda y, x: y.abs().eq_(x) + x,
}


def check_values(update: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
    torch.manual_seed(0)
    model = Residual(update).eval()
    with torch.no_grad():
        wanted = model(X.clone())
        program = ttstack.compile(model, (X.clone(),))
    np.testing.assert_allclose(program.run({"x": X.numpy()}).outputs["output"], wanted.numpy(), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", PRIVATE)
def test_the_program_is_not_traced_again(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(ExportedProgram, "run_decompositions")
    check_values(PRIVATE[name])


@pytest.mark.parametrize("name", SHARED)
def test_memory_that_others_read_keeps_pytorchs_values(name: str):
    check_values(SHARED[name])
