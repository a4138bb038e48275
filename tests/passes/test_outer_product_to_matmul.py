"""Columns times rows are products of matrices, and small factors are multiplied first: the same values, in less time."""

import pytest
import torch
from torch import nn

import ttstack

COLUMNS, ROW = torch.randn(16, 1, 2048, 1), torch.randn(16, 1, 1, 16)


class Outer(nn.Module):
    """A column times a row for each step."""

    def forward(self, columns: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        """[steps, 1, channels, 1] and [steps, 1, 1, states]."""
        return torch.sin(columns) * torch.cos(row)


class Scaled(nn.Module):
    """Columns that scale a row, and others that scale what comes of it."""

    def forward(self, a: torch.Tensor, row: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """[1, channels, steps] twice, and [1, steps, states] between."""
        return (torch.sin(a)[..., None] * row[:, None]) * torch.cos(b)[..., None]


def compiled(model: nn.Module, *inputs: torch.Tensor, without: str | None = None) -> ttstack.Program:
    program = ttstack.compile(model.eval(), inputs, without=without)
    values = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    (found,) = program.run(values).outputs.values()
    assert torch.allclose(torch.from_numpy(found), model(*inputs), rtol=1e-6, atol=1e-6)
    return program


def names(program: ttstack.Program) -> list[str]:
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize("turned", [False, True], ids=["column first", "row first"])
def test_a_column_times_a_row_is_a_product_of_matrices(*, turned: bool):
    inputs = (ROW, COLUMNS) if turned else (COLUMNS, ROW)
    found, apart = (compiled(Outer(), *inputs, without=left) for left in (None, "outer-product-to-matmul"))
    assert "matmul" in names(found)
    assert "multiply" not in names(found)
    assert "multiply" in names(apart)
    assert found.cost().total_ns < apart.cost().total_ns


def test_one_row_for_all_matrices():
    assert "matmul" in names(compiled(Outer(), COLUMNS, ROW[:1]))


@pytest.mark.parametrize(
    ("columns", "row"),
    [(COLUMNS, torch.randn(16, 1, 2048, 16)), (COLUMNS[:1], ROW), (COLUMNS, ROW[..., :1])],
    ids=["a whole matrix", "one column for all", "a number for each matrix"],
)
def test_other_products_stay(columns: torch.Tensor, row: torch.Tensor):
    assert "matmul" not in names(compiled(Outer(), columns, row))


def test_small_factors_are_multiplied_first():
    inputs = torch.randn(1, 512, 16), torch.randn(1, 16, 16), torch.randn(1, 512, 16)
    found, apart = (compiled(Scaled(), *inputs, without=left).function() for left in (None, "reassociate-multiplies"))
    large = [[f.tensors[o.results[0]].type.size for o in f.operations if o.name == "multiply"] for f in (found, apart)]
    assert sorted(large[0]) == [512 * 16, 512 * 16 * 16]
    assert sorted(large[1]) == [512 * 16 * 16] * 2


def test_factors_as_large_as_what_they_scale_stay():
    class Norm(nn.Module):
        def forward(self, x: torch.Tensor, rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            return (torch.sin(x) * rows) * weight

    inputs = torch.randn(64, 256), torch.randn(64, 1), torch.randn(256)
    found, apart = (names(compiled(Norm(), *inputs, without=left)) for left in (None, "reassociate-multiplies"))
    assert found == apart
