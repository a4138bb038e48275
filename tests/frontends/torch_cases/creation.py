"""Tensors made of numbers."""

import math

import torch

from tests.frontends.torch_cases.draw import Cases, X, aten

CASES: Cases = {
    "creation": (
        lambda x: [
            torch.full((2, 3), 1.5),
            torch.full_like(x, 7),
            torch.zeros(2),
            torch.zeros_like(x, dtype=torch.int64),
            torch.ones(3, dtype=torch.bool),
            torch.ones_like(x),
            x.new_zeros(2, 2),
            x.new_ones(2),
            x.new_full((2,), -math.inf),
            torch.scalar_tensor(4.5),
            torch.full((2,), 2**40),
            torch.arange(5),
            torch.arange(2, 7),
            torch.arange(7, 1, -2),
            torch.arange(0.0, 4.0),
            torch.arange(0.5, 3.0, 0.25),
            torch.arange(3, dtype=torch.float32),
            torch.linspace(-1, 1, 7),
            torch.linspace(2, 5, 1),
            torch.eye(3),
            torch.eye(2, 4, dtype=torch.int64),
            aten.fill.Scalar(x, 3),
            aten.zero(x),
            torch.tensor([1, 2, 3]),
            torch.tensor(2.5, dtype=torch.bfloat16),
        ],
        (X,),
    ),
    "memory that is not initialised": (
        # Of integers, as what lies there may be not a number.
        lambda x: [
            torch.empty(3, dtype=torch.int32) * 0,
            torch.empty_like(x, dtype=torch.int32) * 0,
            x.new_empty(2, dtype=torch.int32) * 0,
            x.new_empty_strided((2, 3), (3, 1), dtype=torch.int32) * 0,
        ],
        (X,),
    ),
}
