"""Indices that a program computes lose their sign in tiles, those that it is given before the run."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import ttstack


class Bags(nn.Module):
    """Rows of a table by bag."""

    def __init__(self, indices: Callable[[Tensor], Tensor], *, pooled: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.table, self.indices, self.pooled = nn.Parameter(torch.randn(100, 64)), indices, pooled

    def forward(self, ids: Tensor) -> Tensor:
        indices = self.indices(ids)
        if self.pooled:
            return functional.embedding_bag(indices, self.table, mode="sum")
        return functional.embedding(indices, self.table).sum(1)


def compiled(model: nn.Module, without: str | None = None) -> ttstack.Program:
    ids = torch.randint(0, 50, (128, 3, 4), generator=torch.Generator().manual_seed(0))
    program = ttstack.compile(model.eval().requires_grad_(False), (ids,), dtype="bf16", without=without)
    (found,) = program.run({name: ids.numpy() for name in program.inputs()}).outputs.values()
    np.testing.assert_allclose(found, model(ids).numpy(), atol=1e-5)
    return program


@pytest.mark.parametrize("pooled", [False, True])
def test_computed_indices_are_cast_in_tiles(pooled: bool):
    model = Bags(lambda ids: ids[:, 1] + ids[:, 2], pooled=pooled)
    cast, plain = compiled(model).cost(), compiled(model, "cast-lookup-indices").cost()
    assert "typecast" in [op.name for op in cast.ops]
    assert cast.total_ns < 0.5 * plain.total_ns


def test_given_indices_are_not_cast():
    model = Bags(lambda ids: ids.reshape(128 * 3, 4))
    assert "typecast" not in [op.name for op in compiled(model).cost().ops]
