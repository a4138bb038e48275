"""Rows that are cut into heads, and heads that are put side by side: the same values, in less time."""

import pytest
import torch
from torch import nn

import ttstack


class Interaction(nn.Module):
    """Products of all pairs of features of a row, and features of another width side by side."""

    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.shape = features, width
        self.project = nn.Linear(features, features * width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(rows, features * width) to (rows, features * width)."""
        found = x.view(-1, *self.shape)
        scores = torch.tanh(found @ found.transpose(1, 2))
        return torch.relu(scores @ found).reshape(x.shape)


@pytest.mark.parametrize("rows", [32, 50])
@pytest.mark.parametrize("features", [7, 40])
def test_rows_are_cut_into_heads_by_whole_tiles(rows: int, features: int):
    torch.manual_seed(0)
    model, x = Interaction(features, 64), torch.randn(rows, features * 64) / 8
    programs = [ttstack.compile(model, (x,), without=left) for left in ((), "reshape-by-head-ops")]
    ops = [{op.name for op in program.cost().ops} for program in programs]
    # 32 rows of 7 features are rows of a matrix after their activation, which a reshape joins as fast.
    joined = set() if rows == 32 and features == 7 else {"concatenate_heads"}
    assert ops[0] - ops[1] >= {"split_heads"} | joined
    for program in programs:
        (found,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
        assert torch.allclose(torch.from_numpy(found), model(x), atol=1e-5)
    assert programs[0].cost().total_ns < programs[1].cost().total_ns
