"""Values with one number a row are computed as rows where that is faster, with the same values."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import ttstack

WEIGHT = torch.linspace(-1.0, 2.0, 1280)


class Spelled(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


def layer_norm(x: Tensor) -> Tensor:
    mean = x.mean(1, keepdim=True)
    variance = (x - mean).pow(2).mean(1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-3) * WEIGHT[:, None, None] + WEIGHT[:, None, None]


FASTER: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {
    "mean of channels": (lambda x: x.sin().mean(1, keepdim=True), (1, 1280, 1, 1)),
    "norm of channels": (lambda x: functional.normalize(x.sin(), dim=1), (1, 1280, 1, 1)),
    "of each image": (lambda x: functional.normalize(x.sin(), dim=1), (3, 1280, 1, 1)),
    "layer norm of channels": (layer_norm, (2, 1280, 1, 1)),
    "softmax of channels": (lambda x: torch.softmax(x.sin(), 1), (1, 1000, 1, 1)),
    "side by side": (lambda x: torch.cat([x.sin(), x.cos()], 1).sum(1, keepdim=True), (1, 640, 1, 1)),
}


def compiled(function: Callable[[Tensor], Tensor], *shape: int, without: str | None = None) -> float:
    """The predicted time of a program whose values are PyTorch's."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    program = ttstack.compile(Spelled(function), (x,), without=without)
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), function(x), rtol=1e-4, atol=1e-5)
    return program.cost().total_ns


@pytest.mark.parametrize("name", FASTER)
def test_columns_are_rows(name: str):
    function, shape = FASTER[name]
    assert compiled(function, *shape) < 0.8 * compiled(function, *shape, without="squeeze-unit-dims")


def test_a_column_of_one_op_stays():
    before, after = (compiled(torch.sin, 1, 64, 1, without=without) for without in ("squeeze-unit-dims", None))
    assert before == after
