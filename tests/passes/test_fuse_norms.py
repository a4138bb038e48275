"""Norms of heads are found where heads are put before rows behind them."""

from collections import Counter

import pytest
import torch
from torch import nn

import ttstack


class NormedHeads(nn.Module):
    """Queries of four heads, each of which has its norm, spelled as Qwen3's are."""

    def __init__(self) -> None:
        super().__init__()
        self.project, self.weight = nn.Linear(64, 64, bias=False), nn.Parameter(torch.ones(16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(batch, rows, 64) to (batch, heads, rows, 16)."""
        heads = self.project(x).view(*x.shape[:2], 4, 16)
        normed = heads * torch.rsqrt(heads.pow(2).mean(-1, keepdim=True) + 1e-6)
        return torch.relu((self.weight * normed).transpose(1, 2))


@pytest.mark.parametrize(("without", "norms"), [(None, 1), ("fuse-norms,fuse", 0)])
def test_a_norm_is_found_before_rows_are_put_in_order(without: str | None, norms: int):
    model, x = NormedHeads().eval().requires_grad_(False), torch.randn(2, 32, 64)
    program = ttstack.compile(model, (x,), without=without)
    assert Counter(op.name for op in program.cost().ops)["rms_norm"] == norms
    (found,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
    assert (torch.from_numpy(found) - model(x)).abs().max() <= 1e-5 * model(x).abs().max()
