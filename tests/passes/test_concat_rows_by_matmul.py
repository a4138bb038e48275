"""Rows that begin within tiles are joined by matmuls with matrices of 0 and 1, where that is faster."""

import pytest
import torch
from torch import Tensor, nn

import ttstack


class Tokens(nn.Module):
    """A class token before rows that are computed, as in vision transformers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.embed, self.token = nn.Linear(width, width), nn.Parameter(torch.randn(1, 1, width))

    def forward(self, x: Tensor) -> Tensor:
        """[1, rows, width]."""
        return torch.cat([self.token.expand(1, -1, -1), self.embed(x)], 1)


class Joint(nn.Module):
    """Rows of two streams, as in joint attention."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """[1, rows, width] each."""
        return torch.cat([x.exp(), y.tanh()], 1).sigmoid()


def _ops(model: nn.Module, *inputs: Tensor, dtype: str = "bf16") -> list[str]:
    torch.manual_seed(0)
    program = ttstack.compile(model.eval(), inputs, dtype=dtype)
    given = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    (found,) = program.run(given).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), model(*inputs).detach(), rtol=5e-2, atol=5e-2)
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize(
    ("model", "rows"), [(Tokens(384), [196]), (Joint(), [77, 150])], ids=["a class token", "two streams"]
)
def test_rows_within_tiles_are_sums(model: nn.Module, rows: list[int]):
    ops = _ops(model, *(torch.randn(1, n, 384) for n in rows))
    assert "concat" not in ops
    assert ops.count("matmul") == len(rows)


@pytest.mark.parametrize(
    ("model", "rows", "dtype"),
    [(Joint(), [64, 77], "bf16"), (Joint(), [77, 150], "f32"), (Joint(), [1000, 4000], "bf16")],
    ids=["whole tiles before", "f32", "a selection that is too large"],
)
def test_other_rows_stay_joined(model: nn.Module, rows: list[int], dtype: str):
    assert "concat" in _ops(model, *(torch.randn(1, n, 64) for n in rows), dtype=dtype)
