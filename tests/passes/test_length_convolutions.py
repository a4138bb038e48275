"""Convolutions along a length are channels last, and nothing turns what others turn back."""

import pytest
import torch
from torch import nn

import ttstack


class Convolved(nn.Module):
    """A causal convolution of tokens by channel, as state space models have it: cut to the tokens, activated."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(256, 256, 4, padding=3, groups=groups)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(1, tokens, 256) to the same shape."""
        return nn.functional.silu(self.conv(x.transpose(1, 2))[..., : x.shape[1]]).transpose(1, 2)


@pytest.mark.parametrize("groups", [256, 1])
def test_tokens_stay_rows(groups: int):
    """The part is cut out before the permutation, and activated there, so that another permutation undoes it."""
    model, x = Convolved(groups).eval().requires_grad_(False), torch.randn(1, 64, 256)
    program = ttstack.compile(model, (x,))
    (found,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
    assert torch.allclose(torch.from_numpy(found), model(x), atol=1e-5)
    assert not {"permute", "transpose"} & {op.name for op in program.cost().ops}
