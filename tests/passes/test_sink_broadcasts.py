"""Elementwise ops on copies are computed on one of them: the same values in less time."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

X, SCALES = torch.randn(8, 64, 300), torch.randn(8, 1, 300, 2)


class Gates(nn.Module):
    """Two gates of each position, computed after they were repeated for all channels."""

    def forward(self, x: Tensor, scales: Tensor) -> Tensor:
        repeated = scales.expand(-1, x.shape[1], -1, -1)
        first, second = repeated[..., 0], repeated[..., 1]
        return x * torch.sigmoid(first * 3) + torch.where(second > 0, second.exp(), second)


class Permuted(nn.Module):
    """Copies along a dimension that a permutation moves."""

    def forward(self, x: Tensor, scales: Tensor) -> Tensor:
        repeated = scales[:, 0, :, :1].expand(-1, -1, x.shape[1])
        return x * torch.sigmoid(repeated + 1).permute(0, 2, 1)


def run(model: nn.Module, without: str | tuple[()] = ()) -> tuple[ttstack.Program, list[str]]:
    """Compile a model, check its values, and list the ops whose results are as large as `X`."""
    program = ttstack.compile(model, (X, SCALES), without=without)
    values = dict(zip(program.inputs(), (X.numpy(), SCALES.numpy()), strict=True))
    (result,) = program.run(values).outputs.values()
    np.testing.assert_allclose(result, model(X, SCALES).numpy(), rtol=1e-5, atol=1e-5)
    return program, [op.name for op in program.cost().ops if op.results[0].type.size >= X.numel()]


@pytest.mark.parametrize(("model", "combined"), [(Gates(), ["multiply", "add"]), (Permuted(), ["multiply"])])
def test_functions_of_copies_are_computed_once(model: nn.Module, combined: list[str]):
    large, all_large = run(model)[1], run(model, without="sink-broadcasts")[1]
    assert large == combined
    assert len(all_large) > len(large)


def test_it_is_predicted_to_be_faster():
    sunk, apart = run(Gates())[0], run(Gates(), without="sink-broadcasts")[0]
    assert sunk.cost().total_ns < apart.cost().total_ns


def test_what_differs_along_all_dimensions_stays():
    class Full(nn.Module):
        def forward(self, x: Tensor, scales: Tensor) -> Tensor:
            return x * torch.sigmoid(x + scales[..., 0])

    sunk, apart = (run(Full(), left)[1] for left in ((), "sink-broadcasts"))
    assert sunk == apart
