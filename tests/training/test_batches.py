"""Gradients over micro-batches, and forward passes in narrower types, as PyTorch has them."""

import copy
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

import ttstack
from ttstack.diagnostics import SourceError

OPTIMIZER = partial(torch.optim.SGD, lr=0.1, momentum=0.9)
X = torch.randn(3, 5, 8, generator=torch.Generator().manual_seed(1))
Y = torch.tensor([[0, 3, 1, 2, 3], [1, 1, 0, 2, 0], [3, 2, 2, 1, 0]])


class Widened(nn.Module):
    """Scores in float32, whatever autocast computes in, as language models give them."""

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        return scores.float()


def _model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.GELU(), nn.Linear(16, 4), Widened())


def _far(program: ttstack.Program, given: dict[str, Any], expected: nn.Module, losses: Iterable[float]) -> float:
    """The largest difference of losses and state after as many steps as there are losses."""
    runs = list(program.steps([given] * len(list(losses))))
    pairs = zip(runs, losses, strict=True)
    apart = [abs(float(run.outputs["loss"]) - loss) for run, loss in pairs]
    state = {name: value.detach().numpy() for name, value in expected.state_dict().items()}
    return max(*apart, *(float(np.abs(v - state[n]).max()) for n, v in runs[-1].updated.items() if n in state))


def test_gradients_are_means_over_micro_batches():
    model = _model()
    program = ttstack.compile_step(
        copy.deepcopy(model), (X[0],), loss=F.cross_entropy, targets=Y[0], optimizer=OPTIMIZER, micro_batches=3
    )
    assert {name: t.shape for name, t in program.inputs().items()} == {"input": (3, 5, 8), "target": (3, 5)}
    optimizer, losses = OPTIMIZER(model.parameters()), list[float]()
    for _ in range(3):
        optimizer.zero_grad()
        found = [F.cross_entropy(model(x), y) / 3 for x, y in zip(X, Y, strict=True)]
        for loss in found:
            loss.backward()
        optimizer.step()
        losses.append(sum(loss.item() for loss in found))
    assert _far(program, {"input": X.numpy(), "target": Y.numpy()}, model, losses) <= 1e-6


@pytest.mark.parametrize("scale", [None, 128.0])
def test_a_forward_pass_in_bf16_keeps_parameters_in_float32(scale: float | None):
    model, x, y = _model(), X[0], Y[0]
    program = ttstack.compile_step(
        copy.deepcopy(model),
        (x,),
        loss=F.cross_entropy,
        targets=y,
        optimizer=OPTIMIZER,
        autocast="bf16",
        loss_scale=scale,
    )
    optimizer, losses = OPTIMIZER(model.parameters()), list[float]()
    for _ in range(4):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert _far(program, {"input": x.numpy(), "target": y.numpy()}, model, losses) <= 2e-3
    products = [op for op in program.function().operations if op.name in ("matmul", "linear")]
    tensors = program.function().tensors
    assert {str(tensors[op.results[0]].type.dtype) for op in products} == {"bf16"}
    assert {str(t.type.dtype) for t in program.function().parameters.values()} <= {"f32", "i64"}


def test_what_autocast_computes_in_16_bits_can_lie_in_bfp8_beside_float32():
    model, x, y = _model(), X[0], Y[0]
    program, plain = (
        ttstack.compile_step(
            model, (x,), loss=F.cross_entropy, targets=y, optimizer=OPTIMIZER, autocast="bf16", half_dtype=half
        )
        for half in ("bfp8_b", None)
    )
    tensors = program.function().tensors
    products = [tensors[op.results[0]] for op in program.function().operations if op.name in ("linear", "matmul")]
    assert {(str(t.type.dtype), str(t.layout.dtype)) for t in products} == {("bf16", "bfp8_b")}
    kept = [*program.function().parameters.values(), *(tensors[o.tensor] for o in program.function().outputs)]
    assert {str(t.layout.dtype) for t in kept} <= {"f32", "ui32", "si32"}
    given = {"input": x.numpy(), "target": y.numpy()}
    ours, theirs = (
        [float(run.outputs["loss"]) for run in p.steps([given] * 4, numerics="device")] for p in (program, plain)
    )
    assert ours != theirs
    np.testing.assert_allclose(ours, theirs, rtol=2e-2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"micro_batches": 0}, "micro_batches is 0"),
        ({"autocast": "f8"}, "'f8'"),
        ({"loss_scale": -1.0}, "loss_scale"),
        ({"loss_scale": True}, "loss_scale is True"),
        ({"micro_batches": True}, "micro_batches is True"),
        ({"max_norm": True}, "max_norm is True"),
    ],
)
def test_what_is_no_batch_type_or_scale_says_so(wrong: dict[str, Any], message: str):
    with pytest.raises(SourceError, match=message):
        ttstack.compile_step(_model(), (X[0],), loss=F.cross_entropy, targets=Y[0], optimizer=OPTIMIZER, **wrong)


def _scale(scale: float, steps: float) -> dict[str, np.ndarray]:
    return {"loss_scale.scale": np.array(scale, np.float32), "loss_scale.steps": np.array(steps, np.float32)}


def test_a_scale_that_is_found_leaves_out_steps_whose_gradients_are_too_large():
    model, x, y = _model(), X[0], Y[0]
    program = ttstack.compile_step(
        copy.deepcopy(model), (x,), loss=F.cross_entropy, targets=y, optimizer=OPTIMIZER, loss_scale="dynamic"
    )
    given = {"input": x.numpy(), "target": y.numpy()}
    endless = np.where(np.arange(8) == 3, np.float32(np.inf), x.numpy())
    failed = program.run(given | {"input": endless, **_scale(1024, 7)})
    unchanged = {name: value.detach().numpy() for name, value in model.named_parameters()}
    for name, value in failed.updated.items():
        if name in unchanged or name.startswith("optimizer."):
            np.testing.assert_array_equal(value, unchanged.get(name, 0), name)
    assert (failed.updated["loss_scale.scale"], failed.updated["loss_scale.steps"]) == (512, 0)
    taken = program.run(given | _scale(8, 1999)).updated
    assert (taken["loss_scale.scale"], taken["loss_scale.steps"]) == (16, 0)
    optimizer = OPTIMIZER(model.parameters())
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    for name, value in model.named_parameters():
        np.testing.assert_allclose(taken[name], value.detach().numpy(), rtol=1e-5, atol=1e-7)
