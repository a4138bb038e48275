"""What a step of training holds: state as matrices where tiles would fill it up, and new values no longer than needed."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

import ttstack
from tests.training.steps import Trained, train
from ttstack.program.records import Function, Operation
from ttstack.report.step_memory import Holding, holdings, step_memory
from ttstack_runtime.executor import run
from ttstack_runtime.inputs import random_inputs


def test_weights_of_convolutions_are_updated_as_matrices():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(4, 20, 3, bias=False), nn.Conv2d(20, 20, 3), nn.Flatten(), nn.Linear(80, 2))
    trained = train(
        model,
        (torch.randn(2, 4, 6, 6),),
        partial(torch.optim.Adam, lr=0.01),
        loss=F.mse_loss,
        target=torch.randn(2, 2),
        steps=4,
        max_norm=1.0,
        after=lambda model, _: nn.utils.clip_grad_norm_(model.parameters(), 1.0),
    )
    assert trained.worst <= 1e-4, trained.apart
    function = trained.program.function()
    for name in ("1.weight", "optimizer.exp_avg.1.weight", "optimizer.exp_avg_sq.1.weight"):
        assert function.parameters[name].type.shape == (20, 20 * 9)
        assert trained.program.binary.weights[name].type.shape == (20, 20, 3, 3)
    tensors = function.tensors
    computed = [op for op in function.operations if op.name in ("add", "multiply", "div", "sqrt")]
    assert not [op for op in computed if tensors[op.results[0]].type.shape == (20, 20, 3, 3)]


def test_activations_are_those_that_the_runtime_holds():
    """As planned, and as arrays are counted while the program runs, when the backward pass begins."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 48), nn.GELU(), nn.LayerNorm(48), nn.Linear(48, 4))
    make = partial(torch.optim.Adam, lr=0.01)
    program = ttstack.compile_step(model, [(6, 8)], loss=F.mse_loss, targets=(6, 4), optimizer=make)
    function, counted = program.function(), list[int]()
    forward, begun = set[int](), list[bool]()

    def count(operation: Operation, values: Sequence[Any]) -> None:
        if operation.location.startswith(("forward", "loss")):
            forward.update(operation.results)
        elif not begun:
            begun.append(True)
            own = (values[t] for t in forward if function.tensors[t].alias is None)
            counted.append(sum(value.nbytes for value in own if value is not None))

    run(program.binary, random_inputs(function), watch=count)
    found = [function.tensors[h.tensor].type for h in holdings(function) if h.holding is Holding.ACTIVATION]
    assert counted == [sum(t.size * t.dtype.numpy.itemsize for t in found)]
    assert counted[0] >= 4 * 6 * (48 + 48 + 4)

    *_, whole = step_memory(function, 2)
    state = [t for name, t in program.function().parameters.items() if name.startswith("optimizer.exp")]
    assert whole["module"] == "all"
    assert whole["optimizer state"] == 2 * whole["parameters"] + 4096  # the number of steps, a tile
    assert len(state) == 2 * len([*model.parameters()])
    assert whole["gradients"] > 0


def _waiting(function: Function) -> int:
    """The most values that wait at one time to be assigned."""
    made = {result: at for at, op in enumerate(function.operations) for result in op.results}
    waits = [
        (made[op.operands[1]], at)
        for at, op in enumerate(function.operations)
        if op.name == "assign" and op.operands[1] in made
    ]
    return max(sum(first < at <= last for first, last in waits) for _, at in waits)


def test_next_values_are_assigned_as_soon_as_they_can_be():
    model = nn.Sequential(*(nn.Linear(32, 32) for _ in range(4)))
    make = partial(torch.optim.Adam, lr=0.01)
    program = ttstack.compile_step(model, [(2, 32)], loss=F.mse_loss, targets=(2, 32), optimizer=make)
    assert sum(op.name == "assign" for op in program.function().operations) > 20
    assert _waiting(program.function()) <= 3


def _of_large_table(rows: int, **options: Any) -> Trained:
    torch.manual_seed(0)
    bags = torch.randint(0, rows, (4, 3))
    bags[1] = bags[0]
    table = nn.EmbeddingBag(rows, 64, mode="sum")
    return train(
        nn.Sequential(table, nn.Linear(64, 1)),
        (bags,),
        partial(torch.optim.SGD, lr=0.1, **options),
        loss=F.mse_loss,
        target=torch.randn(4, 1),
        steps=2,
    )


def _gradients_of_tables(trained: Trained) -> int:
    return [op.name for op in trained.program.function().operations].count("embedding_backward")


def test_gradients_of_a_table_that_is_larger_than_l1_are_added_to_its_rows():
    trained = _of_large_table(400_000)
    assert trained.worst <= 1e-6, trained.apart
    assert _gradients_of_tables(trained) == 0


def test_gradients_of_a_small_table_and_those_of_a_momentum_are_dense():
    assert _gradients_of_tables(_of_large_table(1000)) == 1
    assert _gradients_of_tables(_of_large_table(400_000, momentum=0.9)) == 1
