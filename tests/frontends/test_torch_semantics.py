"""Where PyTorch's results are not what the nearest formula gives: edges of values, types and shapes."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.dialects.context import new_context
from ttstack.frontends.torch import export, import_program
from ttstack.frontends.torch_to_ttir import torch_to_ttir
from ttstack.mlir import ir

INF, NAN = math.inf, math.nan
Case = tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.function(*inputs)


def u8(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.uint8)


def i8(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int8)


def real(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


DIVIDENDS = real(-7, 7, 1, -1, 0, 0.3, 1e30, INF, NAN)
DIVISORS = real(3, -3, INF, INF, 2, 0.1, 7, 2, 1)

REMAINDERS: Mapping[str, Case] = {
    "of numbers": (lambda x: x.remainder(0.1), (real(1.0, 0.3, 0.7, -0.7),)),
    "by a negative": (lambda x: x.remainder(-3.0), (DIVIDENDS,)),
    "by infinity": (lambda x: x.remainder(INF), (real(1, -1),)),
    "of tensors": (torch.remainder, (DIVIDENDS, DIVISORS)),
    "of integers": (torch.remainder, (torch.tensor([-7, 7, 7, -(2**62)]), torch.tensor([3, -3, 7, 2**62 - 1]))),
    "of bytes": (lambda x: x.remainder(7), (u8(0, 6, 200),)),
    "floor of a tenth": (lambda x: x // 0.1, (real(1.0, 0.3, -0.7),)),
    "floor by a negative": (lambda x: x // -3.0, (real(7, -7, 6),)),
    "floor by zero": (lambda x: torch.div(x, 0.0, rounding_mode="floor"), (real(1, -1, 0),)),
    "floor of tensors": (torch.floor_divide, (DIVIDENDS, DIVISORS)),
    "floor by zeros": (torch.floor_divide, (real(1, -1, 0), real(0, 0, 0))),
    "floor of integers": (torch.floor_divide, (torch.tensor([-7, 7, -(2**62)]), torch.tensor([3, -3, 2**62 - 1]))),
    "floor of halves": (torch.floor_divide, (torch.tensor([1000.0, 1]).half(), torch.tensor([0.3, 0.1]).half())),
}

EXTREMES: Mapping[str, Case] = {
    "argmin of bytes": (lambda x: x.argmin(dim=0), (u8(5, 0, 200),)),
    "argmin of the least": (lambda x: x.argmin(), (torch.tensor([5, -(2**31)], dtype=torch.int32),)),
    "argmin of infinities": (lambda x: x.argmin(), (real(5, -INF, INF),)),
    "place of the smallest byte": (lambda x: x.min(dim=0)[1], (u8(5, 0, 200),)),
    "place of the first false": (lambda x: x.min(dim=0)[1], (torch.tensor([True, False, False]),)),
}

REDUCTIONS: Mapping[str, Case] = {
    "variance of one": (lambda x: x.var(), (real(3),)),
    "variance of ones": (lambda x: x.var(dim=1), (torch.ones(2, 1),)),
    "deviation of one": (lambda x: x.std(dim=1, keepdim=True), (torch.ones(2, 1),)),
    "variance of fewer than corrected": (lambda x: x.var(dim=0, correction=3), (real(1, 2),)),
    "logsumexp of nothing": (lambda x: x.logsumexp(1), (torch.full((2, 3), -INF),)),
    "logsumexp of infinities": (lambda x: x.logsumexp(1), (torch.tensor([[INF, INF], [INF, -INF], [NAN, INF]]),)),
    "logsumexp of integers": (lambda x: x.logsumexp(1, keepdim=True), (torch.tensor([[1, 2], [3, 900]]),)),
    "roll of nothing": (lambda x: x.roll(1, 0), (torch.zeros(0, 3),)),
}

MATRIX, BLOCK = torch.arange(24.0).reshape(4, 6), torch.arange(24.0).reshape(2, 3, 4)


def put(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    """Ones in the rows that are named."""
    return x.index_put((i,), torch.ones(()))


def put_at(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[i, j] = 7.0
    return y


INDICES: Mapping[str, Case] = {
    "row from the end": (lambda x, i: x[i], (MATRIX, torch.tensor([-1, 0, -4]))),
    "column from the end": (lambda x, i: x[:, i], (MATRIX, torch.tensor([-1, 0, -6]))),
    "element from the end": (lambda x, i, j: x[i, j], (MATRIX, torch.tensor([1, -2]), torch.tensor([-1, 0]))),
    "apart from the end": (lambda x, i, j: x[i, :, j], (BLOCK, torch.tensor([-1, 0]), torch.tensor([3, -1]))),
    "short index from the end": (lambda x, i: x[i], (MATRIX, torch.tensor([-1, 0], dtype=torch.int32))),
    "known from the end": (lambda x: x[torch.tensor([-1, 0])], (MATRIX,)),
    "counted down": (lambda x: x[torch.arange(1, -3, -1)], (MATRIX,)),
    "put from the end": (put, (MATRIX, torch.tensor([-1, 0]))),
}

BYTES, BOOLS = u8(0, 5, 200), torch.tensor([True, False])

NUMBERS: Mapping[str, Case] = {
    "sum of more than a byte": (lambda x: x + 300, (BYTES,)),
    "byte times a negative": (lambda x: x * -1, (BYTES,)),
    "byte less than it can be": (lambda x: x - 201, (BYTES,)),
    "byte divided by a negative": (lambda x: x // -1, (BYTES,)),
    "byte above a negative": (lambda x: x > -1, (BYTES,)),
    "byte below more than a byte": (lambda x: x < 300, (BYTES,)),
    "byte above a fraction": (lambda x: x > -0.5, (BYTES,)),
    "short integer above more": (lambda x: x > 200, (i8(-128, -56, 127),)),
    "clamp from a negative": (lambda x: x.clamp(min=-1), (BYTES,)),
    "clamp between": (lambda x: x.clamp(-1, 100), (BYTES,)),
    "filled with a negative": (lambda x: x.masked_fill(x > 3, -1), (BYTES,)),
    "bool and a number": (lambda x: x == 2, (BOOLS,)),
    "bool above a number": (lambda x: x > -1, (BOOLS,)),
    "bool and bits": (lambda x: x ^ True, (BOOLS,)),
    "byte and signed byte": (torch.gt, (u8(200, 0), i8(-1, 0))),
    "signed byte and byte": (torch.gt, (i8(-1, 100), u8(200, 0))),
    "two kinds of halves": (
        lambda x, y: x == y.bfloat16(),
        (torch.tensor([1 + 2**-10, 2]).half(), torch.tensor([1, 2]).half()),
    ),
    "other two kinds of halves": (
        lambda x, y: x.bfloat16() == y,
        (torch.tensor([1, 2]).half(), torch.tensor([1 + 2**-10, 2]).half()),
    ),
}

CASES = REMAINDERS | EXTREMES | REDUCTIONS | INDICES | NUMBERS


@pytest.mark.filterwarnings("ignore:(var|std).*degrees of freedom")
@pytest.mark.parametrize("name", CASES)
def test_values_are_pytorchs(name: str):
    function, inputs = CASES[name]
    program = ttstack.compile(Function(function), list(inputs))
    outputs = program.run({k: x.numpy() for k, x in zip(program.inputs(), inputs, strict=True)}).outputs
    (got,), want = outputs.values(), function(*inputs).numpy()
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, 1e-6)


@pytest.mark.parametrize("column", [6, -7, 100])
@pytest.mark.parametrize("how", [lambda x, i, j: x[i, j], put_at])
def test_an_index_outside_of_its_dimension_is_no_element_of_another_row(how: Callable[..., torch.Tensor], column: int):
    given = {"inputs_0": MATRIX, "inputs_1": torch.tensor([1, 2]), "inputs_2": torch.tensor([0, 5])}
    program = ttstack.compile(Function(how), list(given.values()))
    arrays = {name: x.numpy() for name, x in given.items()}
    assert program.run(arrays).outputs
    arrays["inputs_2"] = np.array([0, column])
    with pytest.raises(ttstack.TTStackError, match=r"index \d+ is outside"):
        program.run(arrays)


def test_no_op_counts_known_indices_from_the_front():
    def rows(x: torch.Tensor) -> torch.Tensor:
        return x[torch.arange(2)[:, None], torch.tensor([2, 0])]

    with new_context() as context, ir.Location.unknown():
        imported = import_program(export(Function(rows), [MATRIX]), context)
        torch_to_ttir(imported.module)
        assert "ttir.where" not in str(imported.module)
