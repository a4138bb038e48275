"""Tables in Tensor-Train form train in their form: gradients of cores as PyTorch has them, and nothing as large as a table."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from tests.training import models
from tests.training.steps import train
from ttstack.diagnostics import SourceError
from ttstack.tensor_train.torch import TensorTrainEmbedding, TensorTrainEmbeddingBag

ROWS, COLS = 210, 16
IDS = torch.tensor([[3, 17, 3, 209], [0, 208, 55, 3], [17, 17, 100, 1]])
Given = dict[str, torch.Tensor]


class Weighed(nn.Module):
    """A table whose rows count differently, so that their gradients differ."""

    def __init__(self, table: nn.Module) -> None:
        super().__init__()
        self.table = table

    def forward(self, **given: torch.Tensor) -> torch.Tensor:
        found = self.table(**given)
        return (found * torch.linspace(-2, 3, found.numel()).view(found.shape)).square().sum()


RAGGED: Given = {"input": IDS.flatten(), "offsets": torch.tensor([0, 3, 3, 9])}
BAGS: list[tuple[dict[str, Any], Given]] = [
    ({"mode": "sum"}, {"input": IDS}),
    ({"mode": "sum"}, {**RAGGED, "per_sample_weights": torch.linspace(1, 2, 12)}),
    ({"mode": "mean", "padding_idx": 3}, {"input": IDS}),
    ({"mode": "mean", "padding_idx": 17}, RAGGED),
    ({"mode": "mean", "include_last_offset": True}, RAGGED | {"offsets": torch.tensor([0, 2, 7, 12])}),
]


@pytest.mark.parametrize(("options", "given"), BAGS)
def test_gradients_of_cores_are_those_of_pytorch(options: dict[str, Any], given: Given):
    """The cores after one step are their gradients away."""
    torch.manual_seed(0)
    _check(Weighed(TensorTrainEmbeddingBag(ROWS, COLS, ranks=5, **options)), given)


def test_gradients_of_single_rows_are_those_of_pytorch():
    torch.manual_seed(0)
    _check(Weighed(TensorTrainEmbedding(ROWS, COLS, ranks=3, padding_idx=17)), {"input": IDS})


def _check(model: nn.Module, given: Given) -> None:
    before = {name: p.detach().numpy().copy() for name, p in model.named_parameters()}
    trained = train(model, given, partial(torch.optim.SGD, lr=0.01), steps=1)
    assert trained.worst <= 1e-5, trained.apart
    names = {name: x.numpy() for name, x in given.items()}
    updated = trained.program.run(names).updated
    assert all(np.abs(updated[name] - core).max() > 1e-3 * np.abs(core).max() for name, core in before.items())


def test_ten_steps_of_a_recommender_hold_cores_alone():
    task = models.dlrm(tables=2, rows=5000, ranks=4)
    optimizer = partial(torch.optim.SGD, lr=0.5, momentum=0.9)
    trained = train(task.model, task.inputs, optimizer, loss=task.loss, target=task.target)
    assert trained.worst <= 1e-4, trained.apart
    assert trained.losses[-1] < 0.9 * trained.losses[0]
    function = trained.program.function()
    assert [op.name for op in function.operations].count("tensor_train_embedding_bag") == 2
    assert max(math.prod(t.type.shape) for t in function.tensors) < 5000 * 16


def test_the_largest_of_a_bag_is_refused():
    model = Weighed(TensorTrainEmbeddingBag(ROWS, COLS, ranks=2, mode="max"))
    with pytest.raises(SourceError, match="the largest of rows in Tensor-Train form has no gradient"):
        ttstack.compile_step(model, {"input": IDS}, optimizer=partial(torch.optim.SGD, lr=0.1))
