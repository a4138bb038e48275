"""What the cases are made of: the same numbers for the same shape."""

import math
from collections.abc import Callable, Mapping

import torch

aten = torch.ops.aten

Case = tuple[Callable[..., object], tuple[torch.Tensor, ...]]
Cases = Mapping[str, Case]
"""By name: a function that gives one tensor or several, and what it is called with."""


def real(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(math.prod(shape)))


def positive(*shape: int) -> torch.Tensor:
    return real(*shape).abs() + 0.1


def whole(*shape: int, low: int = -9, high: int = 9, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(math.prod(shape))
    return torch.randint(low, high, shape, generator=generator, dtype=dtype)


def bools(*shape: int) -> torch.Tensor:
    return real(*shape) > 0


X, Y, P = real(4, 6), real(6, 4).T.contiguous(), positive(4, 6)
I, J = whole(4, 6), whole(6, 4, low=1).T.contiguous()
B, C = bools(4, 6), bools(6, 4).T.contiguous()
T = real(2, 3, 4, 5)
