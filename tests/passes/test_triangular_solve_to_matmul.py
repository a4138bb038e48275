"""Forward substitution, row by row, becomes matmuls: the same inverse in less time, whatever the spelling."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

ROWS = 20


def masked(x: Tensor) -> Tensor:
    return x.masked_fill(torch.ones(x.shape[-1], x.shape[-1], dtype=torch.bool).triu(0), 0)


def in_place(x: Tensor) -> Tensor:
    """Gated delta rules by chunks, as transformers spells them."""
    a = -masked(x)
    for i in range(1, x.shape[-1]):
        row, rows = a[..., i, :i].clone(), a[..., :i, :i].clone()
        a[..., i, :i] = row + (row.unsqueeze(-1) * rows).sum(-2)
    return a


def by_matmuls(x: Tensor) -> Tensor:
    """Rows one below the other, each a matmul of the rows above."""
    a = masked(x)
    rows = a[..., :1, :]
    for i in range(1, x.shape[-1]):
        row = a[..., i : i + 1, :]
        rows = torch.cat([rows, row + row[..., :i] @ rows], -2)
    return rows


def without_last_term(x: Tensor) -> Tensor:
    a = masked(x)
    rows = a[..., :1, :]
    for i in range(1, x.shape[-1]):
        row = a[..., i : i + 1, :]
        rows = torch.cat([rows, row + row[..., : i - 1] @ rows[..., : i - 1, :] if i > 1 else row], -2)
    return rows


def unmasked(x: Tensor) -> Tensor:
    rows = x[..., :1, :]
    for i in range(1, x.shape[-1]):
        row = x[..., i : i + 1, :]
        rows = torch.cat([rows, row + row[..., :i] @ rows], -2)
    return rows


def transposed_batch(x: Tensor) -> Tensor:
    """Rows of one matrix by the rows of another."""
    a = masked(x)
    rows = a[..., :1, :]
    for i in range(1, x.shape[-1]):
        row = a[..., i : i + 1, :]
        rows = torch.cat([rows, row + row[..., :i] @ rows.transpose(0, 1)], -2)
    return rows


def right_side(a: Tensor, b: Tensor) -> Tensor:
    """Rows of the solution of `(I - a) x = b`, one below the other."""
    a, rows = masked(a), b[..., :1, :]
    for i in range(1, a.shape[-1]):
        rows = torch.cat([rows, b[..., i : i + 1, :] + a[..., i : i + 1, :i] @ rows], -2)
    return rows


def subtracted(a: Tensor, b: Tensor) -> Tensor:
    """The same of `(I + a) x = b`, by products and sums."""
    a, rows = masked(a), b[..., :1, :]
    for i in range(1, a.shape[-1]):
        known = (a[..., i, :i].unsqueeze(-1) * rows).sum(-2, keepdim=True)
        rows = torch.cat([rows, b[..., i : i + 1, :] - known], -2)
    return rows


def without_last_row(a: Tensor, b: Tensor) -> Tensor:
    a, rows = masked(a), b[..., :1, :]
    for i in range(1, a.shape[-1]):
        row = b[..., i : i + 1, :]
        rows = torch.cat([rows, row + a[..., i : i + 1, : i - 1] @ rows[..., : i - 1, :] if i > 1 else row], -2)
    return rows


class SolveRight(nn.Module):
    def __init__(self, solve: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.solve = solve

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return self.solve(a, b) + 1


class Solve(nn.Module):
    def __init__(self, solve: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.solve = solve

    def forward(self, x: Tensor) -> Tensor:
        return self.solve(x) + 1


def compile_and_run(
    solve: Callable[[Tensor], Tensor],
    x: Tensor,
    dtype: str | None = "bf16",
    numerics: Literal["ieee", "device"] = "ieee",
) -> tuple[ttstack.Program, Tensor]:
    program = ttstack.compile(Solve(solve), (x,), dtype=dtype)
    (result,) = program.run({name: x.numpy() for name in program.inputs()}, numerics=numerics).outputs.values()
    return program, torch.from_numpy(result) - 1


def concats(program: ttstack.Program) -> int:
    return [op.name for op in program.cost().ops].count("concat")


@pytest.mark.parametrize("solve", [in_place, by_matmuls])
@pytest.mark.parametrize("shape", [(2, 3, ROWS, ROWS), (32, 32)], ids=str)
def test_rows_of_an_inverse_are_matmuls(solve: Callable[[Tensor], Tensor], shape: tuple[int, ...]):
    torch.manual_seed(0)
    x = torch.randn(shape) / 4
    program, inverse = compile_and_run(solve, x)
    assert concats(program) == 0
    assert [op.name for op in program.cost().ops].count("matmul") == 8
    torch.testing.assert_close(inverse, solve(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("solve", "is_found"), [(right_side, True), (subtracted, True), (without_last_row, False)])
@pytest.mark.parametrize("columns", [ROWS, 48])
def test_solutions_for_a_right_side_are_matmuls(
    solve: Callable[[Tensor, Tensor], Tensor], is_found: bool, columns: int
):
    torch.manual_seed(0)
    a, b = torch.randn(2, 3, ROWS, ROWS) / 4, torch.randn(2, 3, ROWS, columns)
    program = ttstack.compile(SolveRight(solve), (a, b), dtype="bf16")
    assert (concats(program) == 0) == is_found
    (found,) = program.run(dict(zip(program.inputs(), (a.numpy(), b.numpy()), strict=True))).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found) - 1, solve(a, b), rtol=1e-4, atol=1e-4)


def test_it_takes_a_twentieth_of_the_time():
    x = torch.empty(1, 32, 48, 48)
    times = [
        ttstack.compile(Solve(in_place), (x,), dtype="bf16", without=left).cost().total_ns
        for left in ("triangular-solve-to-matmul", None)
    ]
    assert times[1] < times[0] / 20


def test_blocks_do_not_lose_what_powers_would():
    """All rows alike: powers of the matrix grow to binomial coefficients, and cancel each other in the inverse."""
    x = torch.ones(1, 64, 64)
    program, inverse = compile_and_run(in_place, x, numerics="device")
    assert concats(program) == 0
    torch.testing.assert_close(inverse, in_place(x), rtol=0, atol=1e-2)


@pytest.mark.parametrize("solve", [without_last_term, unmasked, transposed_batch])
def test_rows_of_other_recurrences_stay(solve: Callable[[Tensor], Tensor]):
    torch.manual_seed(0)
    x = torch.randn(3, 3, 8, 8) / 4
    program, rows = compile_and_run(solve, x)
    assert concats(program) > 0
    torch.testing.assert_close(rows, solve(x), rtol=1e-4, atol=1e-5)


def test_rows_in_f32_stay_exact():
    torch.manual_seed(0)
    x = torch.randn(2, 12, 12) / 4
    program, rows = compile_and_run(in_place, x, dtype=None, numerics="device")
    assert concats(program) > 0
    np.testing.assert_allclose(rows, in_place(x), rtol=1e-4, atol=1e-5)
