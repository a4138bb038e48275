"""Running sums are matmuls with triangles of ones: the same values in less time, and integers without rounding."""

from typing import Any, Literal

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

MASK = torch.rand(2, 2000, generator=torch.Generator().manual_seed(0)) < 0.9
FORMATS: tuple[dict[str, Any], ...] = ({}, {"dtype": "bf16"})


class RunningSum(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        return torch.cumsum(x, self.dim)


class CountsOfTokens(nn.Module):
    """Positions of tokens that are not padding, as RoBERTa computes them; counts of experts' tokens are alike."""

    def forward(self, tokens: Tensor) -> Tensor:
        mask = tokens.ne(1).int()
        return torch.cumsum(mask, 1).type_as(mask) * mask


def compile_and_run(
    model: nn.Module, x: Tensor, numerics: Literal["ieee", "device"] = "ieee", **options: Any
) -> tuple[list[str], Tensor]:
    program = ttstack.compile(model, (x,), **options)
    plain = ttstack.compile(model, (x,), without="cumsum-by-matmul", **options)
    (sums,) = program.run({name: x.numpy() for name in program.inputs()}, numerics=numerics).outputs.values()
    assert "cumsum" in [op.name for op in plain.cost().ops]
    assert program.cost().total_ns < 0.7 * plain.cost().total_ns
    return [op.name for op in program.cost().ops], torch.from_numpy(sums)


@pytest.mark.parametrize(
    ("shape", "dim"),
    [
        ((1, 4096), 1),
        ((3, 1500), -1),
        ((2, 5, 70), 2),
        ((2, 24, 300, 8), -2),
        ((1500, 3, 4), 0),
        ((4, 2, 2), 1),
        ((96, 1, 1), 0),
        ((70000,), 0),
        ((2, 1200000), 1),
    ],
)
def test_running_sums_of_real_numbers_are_matmuls(shape: tuple[int, ...], dim: int):
    torch.manual_seed(0)
    x = torch.randn(shape)
    for options in FORMATS:
        names, sums = compile_and_run(RunningSum(dim), x, **options)
        assert "matmul" in names
        assert "cumsum" not in names
        torch.testing.assert_close(sums, torch.cumsum(x, dim), rtol=1e-4, atol=1e-3)


def test_the_multiplier_does_not_truncate_what_is_stored_in_f32():
    torch.manual_seed(0)
    x = torch.rand(4, 1024)
    names, sums = compile_and_run(RunningSum(1), x, "device")
    assert "matmul" in names
    torch.testing.assert_close(sums, torch.cumsum(x, 1), rtol=2**-15, atol=0)


@pytest.mark.parametrize("options", [{}, {"dtype": "bf16"}, {"precision": "balanced"}], ids=str)
def test_counts_of_truth_values_are_exact(options: dict[str, Any]):
    """The sums of a block are at most 256 where bf16 stores them; those of all blocks before it are integers."""
    names, sums = compile_and_run(CountsOfTokens(), MASK.long(), "device", **options)
    assert "matmul" in names
    assert "cumsum" not in names
    np.testing.assert_array_equal(sums, CountsOfTokens()(MASK.long()))


@pytest.mark.parametrize(
    ("x", "options"),
    [
        (torch.randint(-(2**30), 2**20, (128,)), {}),
        (torch.randint(0, 1000, (3, 40, 700)), {"dtype": "bf16"}),
        (torch.randint(0, 1000, (2, 300)), {"dtype": "bfp8_b"}),
    ],
    ids=["unbounded", "unbounded in bf16", "in a block format"],
)
def test_integers_that_a_matmul_would_round_are_added_as_integers(x: Tensor, options: dict[str, Any]):
    names, sums = compile_and_run(RunningSum(0 if x.ndim == 1 else 1), x, "device", **options)
    assert "matmul" not in names
    assert "cumsum" not in names
    np.testing.assert_array_equal(sums, torch.cumsum(x, 0 if x.ndim == 1 else 1))


def test_truth_values_are_added_as_integers_in_a_block_format():
    names, sums = compile_and_run(CountsOfTokens(), MASK[:, :200].long(), "device", dtype="bfp8_b")
    assert "matmul" not in names
    np.testing.assert_array_equal(sums, CountsOfTokens()(MASK[:, :200].long()))


def test_running_products_stay():
    class Product(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.cumprod(x, 1)

    program = ttstack.compile(Product(), (torch.rand(2, 64),))
    assert [op.name for op in program.cost().ops] == ["cumprod"]


def test_what_is_not_finite_stays_in_its_row():
    x = torch.ones(4, 100)
    x[1, 50] = float("nan")
    names, sums = compile_and_run(RunningSum(1), x)
    assert "matmul" in names
    assert torch.equal(sums[[0, 2, 3]], torch.cumsum(x, 1)[[0, 2, 3]])
    assert sums[1, 50:].isnan().all()
