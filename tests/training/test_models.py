"""Steps of whole models: loss, parameters and running statistics after ten steps as PyTorch leaves them."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

import ttstack
from tests.training import models
from tests.training.steps import train

TASKS = {
    "resnet": partial(models.resnet, widths=(8,), each=1, batch=3, size=12),
    "dlrm": partial(models.dlrm, tables=1),
}


@pytest.mark.parametrize("name", TASKS)
def test_ten_steps_leave_what_pytorch_leaves(name: str):
    task = TASKS[name]()
    optimizer = partial(torch.optim.SGD, lr=0.01, momentum=0.9)
    trained = train(task.model, task.inputs, optimizer, loss=task.loss, target=task.target)
    assert trained.worst <= 1e-4, trained.apart
    parts = {op.location.partition(" ")[0].partition(".")[0] for op in trained.program.cost().ops}
    assert parts == {"forward", "loss", "backward", "optimizer"}


def test_losses_in_the_device_s_formats_follow_those_in_float32():
    task = models.mlp()
    optimizer = partial(torch.optim.SGD, lr=0.01, momentum=0.9)
    trained = train(task.model, task.inputs, optimizer, loss=task.loss, target=task.target)
    runs = trained.program.steps([trained.batch] * len(trained.losses), numerics="device")
    rounded = np.array([run.outputs["loss"] for run in runs])
    assert (rounded != trained.losses).all()
    np.testing.assert_allclose(rounded, trained.losses, rtol=0.01)


class Parts(nn.Module):
    """A parameter that functions are called on, one after the other."""

    def __init__(self, shape: tuple[int, ...], function: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(shape, generator=torch.Generator().manual_seed(0)))
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(self.weight * x).square().mean()


def _attention(x: torch.Tensor) -> torch.Tensor:
    mask = torch.ones(6, 6, dtype=torch.bool).tril()
    hidden = F.scaled_dot_product_attention(x, 2 * x, x, attn_mask=mask, scale=0.3)
    return hidden + F.scaled_dot_product_attention(x, x, x + 1, is_causal=True)


def _convolutions(x: torch.Tensor) -> torch.Tensor:
    x = F.conv2d(
        x, x[:1, :2].reshape(4, 1, 6, 4)[:, :, :3, :2], stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=4
    )
    return F.conv1d(x.flatten(2), x[0, :, 0, :2].reshape(4, 1, 2).expand(4, 4, 2), stride=3)


def _pools(x: torch.Tensor) -> torch.Tensor:
    means = F.avg_pool2d(x, 3, 2, 1, count_include_pad=False) + F.avg_pool2d(x, 3, 2, 1, ceil_mode=False)
    return means.mean() + F.adaptive_avg_pool2d(x, (4, 3)).square() + F.max_pool2d(x, 2, 2).mean()


def _norms(x: torch.Tensor) -> torch.Tensor:
    return F.group_norm(x, 2, eps=1e-3) * F.layer_norm(x, x.shape[2:]) + F.rms_norm(x, x.shape[-1:])


def _lookups(x: torch.Tensor) -> torch.Tensor:
    table, ids = x.flatten(1), torch.tensor([0, 2, 2, 1])
    bags = F.embedding_bag(ids, table, torch.tensor([0, 3]), mode="sum")
    rows = F.embedding(ids, table, padding_idx=1)
    return bags.mean() * rows + F.embedding_bag(ids.reshape(2, 2), table, mode="mean").mean()


FUNCTIONS = [
    ((2, 4, 6, 8), _convolutions),
    ((2, 3, 9, 7), _pools),
    ((2, 4, 5, 6), _norms),
    ((1, 2, 6, 8), _attention),
    ((3, 4, 2), _lookups),
]


@pytest.mark.parametrize(("shape", "function"), FUNCTIONS, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients_are_those_of_pytorch(shape: tuple[int, ...], function: Callable[..., torch.Tensor]):
    """The parameter after one step of rate 1 is its gradient away."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    trained = train(Parts(shape, function), (x,), partial(torch.optim.SGD, lr=1.0), steps=1)
    assert trained.worst <= 1e-5, trained.apart


def test_classes_that_are_hidden_have_no_share_in_the_loss():
    class Hidden(torch.nn.Linear):
        def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002  (as the base calls it)
            return super().forward(input).masked_fill(torch.tensor([False, True, False]), -torch.inf)

    torch.manual_seed(0)
    model, x, y = Hidden(4, 3), torch.randn(2, 4), torch.tensor([0, 2])
    program = ttstack.compile_step(
        model, (x,), loss=F.cross_entropy, targets=y, optimizer=partial(torch.optim.SGD, lr=0.1)
    )
    loss = program.run({"input": x.numpy(), "target": y.numpy()}).outputs["loss"]
    np.testing.assert_allclose(loss, F.cross_entropy(model(x), y).item(), rtol=1e-5)
