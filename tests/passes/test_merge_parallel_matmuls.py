"""Narrow products of one operand are columns of one product: the same values, in less time."""

import pytest
import torch
from torch import nn

import ttstack


class Siblings(nn.Module):
    """Products of the same rows, some with biases."""

    def __init__(self, *columns: int) -> None:
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(1024, n, bias=n < 512) for n in columns)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """(rows, 1024) to as many columns as each has."""
        return tuple(torch.sin(part(x)) for part in self.parts)


@pytest.mark.parametrize(
    ("columns", "products"),
    [((1024, 64, 64), 1), ((64, 64), 1), ((8192, 8192), 2), ((64, 4096, 4096), 3)],
    ids=["keys and values of one head", "two narrow ones", "gate and up", "one between wide ones"],
)
def test_narrow_products_are_columns_of_one(columns: tuple[int, ...], products: int):
    """Wide ones read their weights for as long as one of all would, and cutting it takes longer than a launch."""
    model, x = Siblings(*columns).eval().requires_grad_(False), torch.randn(32, 1024)
    program = ttstack.compile(model, (x,))
    assert sum(op.name in ("linear", "matmul") for op in program.cost().ops) == products
    values = {name: x.numpy() for name in program.inputs()}
    for found, wanted in zip(program.run(values).outputs.values(), model(x), strict=True):
        assert torch.allclose(torch.from_numpy(found), wanted, atol=1e-5)


def test_they_stay_apart_without_the_rewrite():
    model, x = Siblings(64, 64).eval().requires_grad_(False), torch.randn(32, 1024)
    joined, apart = (ttstack.compile(model, (x,), without=left).cost() for left in (None, "merge-parallel-matmuls"))
    assert joined.total_ns < apart.total_ns
