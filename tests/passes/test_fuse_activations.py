"""Steps of recurrences and gates: activations are part of the sums and products that they stand beside."""

from collections import Counter

import pytest
import torch
from torch import Tensor, nn

import ttstack

F = nn.functional


class Gated(nn.Module):
    """A residual sum with an activation, and a product of two gates."""

    def forward(self, x: Tensor) -> Tensor:
        first, second = x.chunk(2, -1)
        return F.silu(first) * F.hardsigmoid(second) + torch.tanh(first + second)


class Last(nn.Module):
    """The values of a recurrence alone."""

    def __init__(self, inside: nn.Module) -> None:
        super().__init__()
        self.inside = inside

    def forward(self, x: Tensor) -> Tensor:
        return self.inside(x)[0]


STEPS = 2
MODELS = {
    "gates": (Gated, {"activated_multiply": 1, "activated_add": 1}),
    "lstm": (lambda: Last(nn.LSTM(64, 64, batch_first=True)), {"activated_multiply": 3 * STEPS, "activated_add": 1}),
    "gru": (
        lambda: Last(nn.GRU(64, 64, batch_first=True)),
        {"activated_add": 2 * STEPS, "activated_multiply": STEPS},
    ),
}


@pytest.mark.filterwarnings("ignore:The tensor attributes self.*_flat_weights")
@pytest.mark.parametrize("name", MODELS)
def test_values_are_the_same_in_one_kernel_and_in_several(name: str):
    torch.manual_seed(0)
    build, fused = MODELS[name]
    model, x = build().eval().requires_grad_(False), torch.randn(3, STEPS, 64)
    for without in ((), "fuse-activations"):
        program = ttstack.compile(model, (x,), without=without)
        names = Counter(op.name for op in program.cost().ops)
        assert {op: count for op, count in names.items() if op.startswith("activated_")} == ({} if without else fused)
        (found,) = program.run({given: x.numpy() for given in program.inputs()}).outputs.values()
        torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-4, atol=1e-5)
