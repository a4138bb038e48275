"""What decides a choice keeps its format where others get shared exponents, or fewer bits."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.ops.types import DType


class Chosen(nn.Module):
    """Chooses by a comparison after a function of one element."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Negated where x is nearly 0."""
        return torch.where(x.abs() > 1e-4, y, -y)


class Conditional(nn.Module):
    """Chooses by a condition of real numbers, which is moved first."""

    def forward(self, c: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Doubled where the condition is 0."""
        return torch.where(c.reshape(8, 4, 64) != 0, y, 2 * y)


class Router(nn.Module):
    """Routes tokens by probabilities in float32, as mixtures of experts do."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(256, 64, bias=False)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights and numbers of four experts a token."""
        weights, experts = torch.topk(torch.softmax(self.gate(x).float(), -1), 4, -1)
        return weights / weights.sum(-1, keepdim=True), experts


def arrays(tensors: tuple[torch.Tensor, ...]) -> list[np.ndarray[Any, Any]]:
    return [
        t.view(torch.uint16).numpy().view(ml_dtypes.bfloat16) if t.dtype == torch.bfloat16 else t.numpy()
        for t in tensors
    ]


def run(program: ttstack.Program, inputs: tuple[torch.Tensor, ...]) -> list[np.ndarray[Any, Any]]:
    given = dict(zip(program.inputs(), arrays(inputs), strict=True))
    return list(program.run(given, numerics="device").outputs.values())


def mixed(rows: int) -> torch.Tensor:
    """Small numbers beside large ones, which a block of one exponent loses."""
    return torch.randn(rows, 64) * torch.where(torch.rand(rows, 64) < 0.5, 3, 3e-3)


@pytest.mark.parametrize(("dtype", "least"), [("bfp8_b", 0.9999), ("bfp4_b", 0.99)])
def test_small_numbers_are_not_false_in_blocks(dtype: Any, least: float):
    torch.manual_seed(0)
    for model, inputs in (
        (Chosen(), (mixed(64), torch.randn(64, 64))),
        (Conditional(), (mixed(32), torch.randn(8, 4, 64))),
    ):
        (found,) = run(ttstack.compile(model, inputs, dtype=dtype), inputs)
        assert np.corrcoef(found.ravel(), model(*inputs).numpy().ravel())[0, 1] > least


def test_probabilities_keep_float32_up_to_the_choice_of_experts():
    torch.manual_seed(0)
    router, x = Router().bfloat16().eval(), torch.randn(512, 256).bfloat16()
    exact, found = (ttstack.compile(router, (x,), dtype=dtype) for dtype in (None, "bf16"))
    by_name = {op.name: op for op in found.cost().ops}
    assert by_name["softmax"].results[0].layout.dtype is by_name["topk"].operands[0].layout.dtype is DType.F32
    assert by_name["matmul"].results[0].layout.dtype is DType.BF16
    (_, wanted), (_, experts) = run(exact, (x,)), run(found, (x,))
    np.testing.assert_array_equal(experts, wanted)


def test_a_source_of_float32_alone_gets_the_format_that_is_asked_for():
    router, x = Router().eval(), torch.randn(32, 256)
    topk = next(op for op in ttstack.compile(router, (x,), dtype="bf16").cost().ops if op.name == "topk")
    assert topk.operands[0].layout.dtype is DType.BF16
