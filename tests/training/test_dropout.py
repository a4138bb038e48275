"""Dropout in steps: what is kept is what the seed, the step and the place say, forward and backward."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

import ttstack
from tests.training.threefry import dropout_mask
from ttstack.diagnostics import TTStackError

OPTIMIZER = partial(torch.optim.SGD, lr=0.1)


class Masks:
    """Dropout of PyTorch's functions with the masks of a step, counted in the same order."""

    def __init__(self, seed: int) -> None:
        self.seed, self.step, self.rows = seed, 0, 0

    def keep(self, shape: tuple[int, ...], p: float) -> Tensor:
        count = math.prod(shape[:-1])
        kept = dropout_mask((self.seed, self.step), self.rows, shape, p)
        self.rows += count
        return torch.from_numpy(kept)

    def dropout(self, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        assert not inplace
        return x * self.keep(tuple(x.shape), p) / (1 - p) if training else x

    def dropout2d(self, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        assert training
        assert not inplace
        return x * self.keep((*x.shape[:2], 1, 1), p) / (1 - p)

    def attention(self, q: Tensor, k: Tensor, v: Tensor, *, dropout_p: float, is_causal: bool) -> Tensor:
        hidden = torch.full((q.shape[-2], k.shape[-2]), -torch.inf).triu(1) if is_causal else 0
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + hidden, -1)
        return weights * self.keep(tuple(weights.shape), dropout_p) / (1 - dropout_p) @ v


class Dropping(nn.Module):
    """All kinds of dropout around parameters."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.dense, self.drop, self.channels = nn.Linear(9, 24), nn.Dropout(0.3), nn.Dropout2d(0.4)

    def forward(self, x: Tensor) -> Tensor:
        heads = self.drop(self.dense(x)).unflatten(-1, (2, 3, 4)).movedim(-2, 0)
        q, k, v = heads.movedim(-2, 2)
        attended = F.scaled_dot_product_attention(q, k, v, dropout_p=0.25, is_causal=True)
        return F.dropout(self.channels(attended), 0.2, training=self.training)


def square(found: Tensor, target: Tensor) -> Tensor:
    return (found - target).square().mean()


@pytest.mark.parametrize("micro", [1, 2])
def test_steps_are_those_of_pytorch_with_the_same_masks(micro: int, monkeypatch: pytest.MonkeyPatch):
    model, x, y = Dropping(), torch.randn(micro, 2, 5, 9), torch.randn(micro, 2, 2, 5, 4)
    many: dict[str, Any] = {} if micro == 1 else {"micro_batches": micro}
    program = ttstack.compile_step(model, (x[0],), loss=square, targets=y[0], optimizer=OPTIMIZER, seed=7, **many)
    batch = {"x": x.numpy(), "target": y.numpy()} if many else {"x": x[0].numpy(), "target": y[0].numpy()}
    runs = list(program.steps([batch] * 3))
    masks, optimizer = Masks(7), OPTIMIZER(model.parameters())
    for name, stand_in in (
        ("dropout", masks.dropout),
        ("dropout2d", masks.dropout2d),
        ("scaled_dot_product_attention", masks.attention),
    ):
        monkeypatch.setattr(F, name, stand_in)
    for masks.step, run in enumerate(runs):
        optimizer.zero_grad()
        masks.rows = 0
        loss = torch.stack([square(model(a), b) for a, b in zip(x, y, strict=True)]).mean()
        loss.backward()
        optimizer.step()
        np.testing.assert_allclose(run.outputs["loss"], loss.item(), rtol=1e-5)
        np.testing.assert_allclose(run.updated["dense.weight"], model.dense.weight.detach().numpy(), atol=1e-6)


class Scaled(nn.Module):
    """A weight for each element, whose gradient is what dropout multiplies by."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.weight, self.drop = nn.Parameter(torch.zeros(50, 201)), nn.Dropout(p)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(self.weight * x).sum()


def kept(p: float, seed: int = 0, steps: int = 2) -> list[np.ndarray[Any, Any]]:
    """What each step multiplies by."""
    one = partial(torch.optim.SGD, lr=1.0)
    program = ttstack.compile_step(Scaled(p), [(50, 201)], optimizer=one, seed=seed)
    runs = program.steps([{"x": np.ones((50, 201), np.float32)}] * steps)
    return list(-np.diff([np.zeros((50, 201)), *(run.updated["weight"] for run in runs)], axis=0))


def test_the_share_that_is_kept_is_scaled_to_the_same_mean_and_each_step_keeps_others():
    first, second = kept(0.25)
    for found in (first, second):
        np.testing.assert_allclose(np.unique(found), [0, 4 / 3], rtol=1e-6)
        assert abs(found.mean() - 1) < 4 * math.sqrt(0.25 / 0.75 / found.size)
    assert abs((first == second).mean() - 0.625) < 0.02
    assert abs((first[:, 1:] == first[:, :-1]).mean() - 0.625) < 0.02
    np.testing.assert_array_equal(kept(0.25), [first, second])
    assert (kept(0.25, seed=1, steps=1)[0] != first).mean() > 0.3


def test_a_run_goes_on_from_another_seed_that_it_is_given():
    program = ttstack.compile_step(Scaled(0.5), [(50, 201)], optimizer=partial(torch.optim.SGD, lr=1.0))
    run = program.run({"x": np.ones((50, 201), np.float32), "dropout.key": np.asarray([3, 5], np.int32)})
    np.testing.assert_array_equal(run.updated["dropout.key"], [3, 6])
    np.testing.assert_array_equal(-run.updated["weight"], kept(0.5, seed=3, steps=6)[5])


@pytest.mark.parametrize(("p", "factor"), [(0.0, 1.0), (1.0, 0.0)])
def test_all_or_nothing_is_drawn_by_no_seed(p: float, factor: float):
    program = ttstack.compile_step(Scaled(p), [(50, 201)], optimizer=partial(torch.optim.SGD, lr=1.0))
    assert "dropout.key" not in program.binary.weights
    assert not [op for op in program.function().operations if "bitwise" in op.name]
    (found,) = kept(p, steps=1)
    np.testing.assert_array_equal(found, np.full((50, 201), factor))


@pytest.mark.parametrize("seed", [-1, 2**31, 0.5])
def test_a_seed_is_a_whole_number(seed: Any):
    with pytest.raises(TTStackError, match=r"seed is .*\n.*give a whole number from 0"):
        ttstack.compile_step(Scaled(0.5), [(50, 201)], optimizer=OPTIMIZER, seed=seed)
