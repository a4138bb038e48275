"""PyTorch's optimizers in a program: parameters and state as PyTorch leaves them."""

from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

import ttstack
from tests.training.steps import MakeOptimizer, train
from ttstack.diagnostics import SourceError

SGD, ADAM = 1e-4, 1e-3
"""How far apart ten steps of SGD and twenty of Adam may be, in float32."""


def _model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16, bias=False), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))


def _by_groups(parameters: object) -> torch.optim.Optimizer:
    first, *rest = list(parameters)  # type: ignore[call-overload]
    return torch.optim.AdamW(
        [{"params": [first], "weight_decay": 0.0}, {"params": rest, "lr": 0.02}], lr=0.01, amsgrad=True
    )


X, Y = torch.randn(5, 8, generator=torch.Generator().manual_seed(1)), torch.tensor([0, 3, 1, 2, 3])
CASES = [
    (partial(torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.01, nesterov=True), 10, SGD),
    (_by_groups, 20, ADAM),
]


@pytest.mark.parametrize(("optimizer", "steps", "limit"), CASES)
def test_steps_leave_what_pytorch_leaves(optimizer: MakeOptimizer, steps: int, limit: float):
    trained = train(_model(), (X,), optimizer, loss=F.cross_entropy, target=Y, steps=steps)
    assert trained.worst <= limit, trained.apart
    assert trained.losses[-1] < 0.9 * trained.losses[0]


def test_gradients_are_clipped_and_rates_follow_a_schedule():
    def clip_and_warm_up(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        taken.append(1)
        optimizer.param_groups[0]["lr"] = 0.2 * min(len(taken) / 4, 1)

    taken = list[int]()
    trained = train(
        _model(),
        (X,),
        partial(torch.optim.SGD, lr=0.2, momentum=0.5),
        loss=F.cross_entropy,
        target=Y,
        after=clip_and_warm_up,
        max_norm=0.5,
        schedule=lambda step: torch.clamp((step + 1) / 4, max=1),
    )
    assert trained.worst <= SGD, trained.apart
    assert "schedule.steps" in trained.program.binary.weights


def test_a_number_that_all_parameters_share_is_kept_once():
    program = ttstack.compile_step(
        _model(), (X,), loss=F.cross_entropy, targets=Y, optimizer=partial(torch.optim.Adam, lr=0.1)
    )
    state = {name for name in program.binary.weights if name.startswith("optimizer.")}
    assert {name for name in state if "step" in name} == {"optimizer.step"}
    assert len(state) == 1 + 2 * 5


def test_state_that_an_optimizer_has_is_where_it_goes_on():
    model = _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    F.cross_entropy(model(X), Y).backward()
    optimizer.step()
    program = ttstack.compile_step(model, (X,), loss=F.cross_entropy, targets=Y, optimizer=optimizer)
    done = program.run({"input": X.numpy(), "target": Y.numpy()})
    optimizer.zero_grad()
    loss = F.cross_entropy(model(X), Y)
    loss.backward()
    optimizer.step()
    assert abs(float(done.outputs["loss"]) - loss.item()) < 1e-5
    torch.testing.assert_close(torch.from_numpy(done.updated["0.weight"]), model.state_dict()["0.weight"])


def _untrained() -> nn.Sequential:
    model = _model()
    return model.requires_grad_(requires_grad=False)


def _sparse() -> nn.Sequential:
    return nn.Sequential(nn.Embedding(9, 4, sparse=True))


ERRORS = [
    (_model, {"optimizer": "sgd"}, "the optimizer is a str"),
    (_model, {"optimizer": torch.optim.SGD(_model().parameters(), lr=1)}, "parameters that the model does not have"),
    (_model, {"optimizer": partial(torch.optim.SGD, lr=1, momentum=1, dampening=0.5)}, "does not dampen"),
    (_model, {"loss": partial(F.cross_entropy, reduction="none")}, "no single number but a tensor of shape"),
    (_model, {"loss": None}, "the model returns no single number"),
    (_untrained, {}, "the loss depends on no trained parameter"),
    (_sparse, {}, "the gradient of '0.weight' is a sparse tensor"),
]


@pytest.mark.parametrize(("model", "changes", "message"), ERRORS)
def test_what_is_no_step_says_so(model: object, changes: dict[str, object], message: str):
    given = {"loss": F.cross_entropy, "targets": Y, "optimizer": partial(torch.optim.SGD, lr=0.1), **changes}
    with pytest.raises(SourceError, match=message):
        ttstack.compile_step(model(), (X,), **given)  # type: ignore[operator]
