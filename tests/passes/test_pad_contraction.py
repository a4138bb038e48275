"""Matmuls over a number of tiles without divisors are padded where that is faster, with the same values."""

import pytest
import torch
from torch import nn

import ttstack
from ttstack.ops.types import TILE

PRIME, EVEN = 97 * 32, 96 * 32


class Product(nn.Module):
    """A matmul of two inputs, of which the first can be transposed."""

    def __init__(self, transposed: bool) -> None:
        super().__init__()
        self.transposed = transposed

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """[rows, k] or [k, rows], and [k, columns], to [rows, columns]."""
        return (a.mT if self.transposed else a) @ b


def cases() -> dict[str, tuple[nn.Module, tuple[torch.Tensor, ...]]]:
    x = torch.randn(320, PRIME)
    return {
        "linear": (nn.Linear(PRIME, 128), (x,)),
        "without bias": (nn.Linear(PRIME, 128, bias=False), (x,)),
        "in part of a tile": (nn.Linear(PRIME - 31, 128), (x[:, :-31].contiguous(),)),
        "two inputs": (Product(False), (x, torch.randn(PRIME, 128))),
    }


@pytest.mark.parametrize("case", cases())
def test_a_prime_number_of_tiles_is_padded(case: str):
    torch.manual_seed(0)
    model, args = cases()[case]
    model = model.eval().requires_grad_(False)
    padded, plain = (ttstack.compile(model, args, dtype="bf16", without=name) for name in (None, "pad-contraction"))
    assert "pad" in [op.name for op in padded.cost().ops]
    assert padded.cost().total_ns < 0.95 * plain.cost().total_ns
    (found,) = padded.run({n: a.numpy() for n, a in zip(padded.inputs(), args, strict=True)}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), model(*args), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("without", [None, "assign-dim-orders"], ids=["by the matmul", "by a permutation before it"])
def test_an_operand_that_is_read_transposed_takes_no_longer(without: str | None):
    inputs, names = (torch.randn(PRIME, 320), torch.randn(PRIME, 128)), [without] if without else []
    program, plain = (
        ttstack.compile(Product(True), inputs, dtype="bf16", without=[*names, *more])
        for more in ([], ["pad-contraction"])
    )
    assert program.cost().total_ns <= plain.cost().total_ns


def test_a_number_of_tiles_with_divisors_stays():
    program = ttstack.compile(nn.Linear(EVEN, 128).eval(), (torch.randn(320, EVEN),))
    assert "pad" not in [op.name for op in program.cost().ops]


def test_a_matmul_that_is_as_fast_stays():
    program = ttstack.compile(nn.Linear(96, 64).eval(), (torch.randn(32, 96),))
    assert "pad" not in [op.name for op in program.cost().ops]


def test_weights_that_are_too_large_to_be_padded_at_compile_time_stay():
    with torch.device("meta"):
        model, x = nn.Linear(142 * TILE, 65024, bias=False), torch.empty(32, 142 * TILE)
    program = ttstack.compile(model.eval(), (x,), dtype="bf16")
    assert "pad" not in [op.name for op in program.cost().ops]
