"""A new value of a parameter reaches all that the program computes from it, or is refused by name."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.compiled_program import Program
from ttstack.diagnostics import InputError
from ttstack.training import compile_step

ROWS = 1 << 14
"""Rows of a table that is large enough to be held once for lookups and once for matmuls."""


class Both(nn.Module):
    """Reads a weight as it is, and what is computed from it."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(64, 64))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Two matmuls."""
        return x @ self.w, x @ (self.w * 2 + 1)


class Tied(nn.Module):
    """Looks rows up in a table, and multiplies by it."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(ROWS, 64))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits of the rows."""
        return nn.functional.linear(nn.functional.embedding(ids, self.w), self.w)


class Masked(nn.Module):
    """Adds a mask that is a buffer to scores."""

    mask: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.full((64, 64), -torch.inf).triu(1))

    def forward(self, q: torch.Tensor) -> torch.Tensor:
        """Attention of one head."""
        return nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=self.mask)


def saved(program: Program, path: Path) -> Program:
    program.save(path)
    return ttstack.load(path)


@pytest.mark.parametrize("kept", [lambda program, _: program, saved], ids=["compiled", "loaded"])
def test_a_parameter_that_was_computed_with_is_refused(kept: Callable[[Program, Path], Program], tmp_path: Path):
    x, new = np.ones((32, 64), np.float32), np.zeros((64, 64), np.float32)
    program = kept(ttstack.compile(Both().eval(), (torch.ones(32, 64),)), tmp_path / "m.ttb")
    assert program.binary.fixed == ("w",)
    for engine in ("numpy", "cpu"):
        with pytest.raises(InputError, match="computed with the value of 'w'"):
            program.run({"x": x, "w": new}, engine=engine)
    with pytest.raises(InputError, match="computed with the value of 'w'"):
        next(program.steps([{"x": x}], state={"w": new}))


def test_statistics_of_a_batch_norm_are_refused_by_the_names_of_the_model():
    network = nn.Sequential(nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8)).eval()
    program = ttstack.compile(network, (torch.ones(1, 8, 16, 16),))
    inputs = {name: np.zeros(t.shape, np.float32) for name, t in program.inputs().items()}
    given = inputs | {"1.running_mean": np.zeros(8, "f"), "1.running_var": np.ones(8, "f")}
    with pytest.raises(InputError, match=r"computed with the value of '1\.running_mean', '1\.running_var'"):
        program.run(given)


def test_a_mask_that_became_a_structure_is_refused():
    q = torch.randn(1, 2, 64, 32)
    program = ttstack.compile(Masked().eval(), (q,))
    with pytest.raises(InputError, match="computed with the value of 'mask'"):
        program.run({"q": q.numpy(), "mask": np.zeros((64, 64), np.float32)})


def test_a_new_value_of_a_tied_table_reaches_both_of_its_copies():
    model, ids = Tied().eval(), torch.arange(32)
    program = ttstack.compile(model, (ids,), without="split-float32-tables")
    assert {"w", "w.rows"} <= set(program.function().parameters)
    model.w.data = torch.randn(ROWS, 64)
    (found,) = program.run({"ids": ids.numpy(), "w": model.w.detach().numpy()}).outputs.values()
    np.testing.assert_allclose(found, model(ids).detach().numpy(), rtol=1e-4, atol=1e-4)


class TwoTied(nn.Module):
    """Looks rows up in two tables, which are also matrices: the lookups are stacked."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = (nn.Parameter(torch.randn(ROWS, 64)) for _ in range(2))

    def forward(self, i: torch.Tensor, j: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of the rows, of each table by the other."""
        a, b = nn.functional.embedding(i, self.a), nn.functional.embedding(j, self.b)
        return nn.functional.linear(a, self.b), nn.functional.linear(b, self.a)


def test_stacked_copies_of_tied_tables_have_their_values(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ttstack.passes.ttir.embeddings.merge_embedding_tables._pays", lambda *_: True)
    model, given = TwoTied().eval(), (torch.arange(32), torch.arange(32, 64))
    program = ttstack.compile(model, given, without="split-float32-tables")
    assert program.binary.fixed == ("a", "b")
    assert set(program.function().parameters) == {"a", "b", "a.rows.stacked"}
    found = program.run(dict(zip(program.inputs(), (g.numpy() for g in given), strict=True))).outputs.values()
    for values, wanted in zip(found, model(*given), strict=True):
        np.testing.assert_allclose(values, wanted.detach().numpy(), rtol=1e-4, atol=1e-4)


class Adversaries(nn.Module):
    """A generator and a discriminator; a step trains one and reads the other."""

    def __init__(self, *, generates: bool) -> None:
        super().__init__()
        self.generates = generates
        self.G = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 32))
        self.D = nn.Sequential(nn.Linear(32, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))

    def forward(self, z: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """The loss of the one that is trained."""
        fake = self.D(self.G(z))
        if self.generates:
            return nn.functional.softplus(-fake).mean()
        return nn.functional.softplus(fake).mean() + nn.functional.softplus(-self.D(real)).mean()


def test_two_steps_of_a_gan_share_their_weights():
    torch.manual_seed(0)
    steps = [Adversaries(generates=generates) for generates in (False, True)]
    steps[1].load_state_dict(steps[0].state_dict())
    batches = [(torch.randn(8, 16), torch.randn(8, 32)) for _ in range(5)]
    programs = [
        compile_step(step, batches[0], optimizer=partial(torch.optim.SGD, lr=0.1)(side.parameters()))
        for step, side in zip(steps, (steps[0].D, steps[1].G), strict=True)
    ]
    state: dict[str, np.ndarray] = {}
    found = []
    for z, real in batches:
        for program in programs:
            given = dict(zip(program.inputs(), (z.numpy(), real.numpy()), strict=True))
            known = {name: value for name, value in state.items() if name in program.function().parameters}
            run = program.run(given | known)
            state |= run.updated
            found.append(float(run.outputs["loss"]))
    expected = []
    shared = steps[0]
    optimizers = [torch.optim.SGD(side.parameters(), lr=0.1) for side in (shared.D, shared.G)]
    for z, real in batches:
        for generates, optimizer in zip((False, True), optimizers, strict=True):
            shared.generates = generates
            shared.zero_grad()
            loss = shared(z, real)
            loss.backward()
            optimizer.step()
            expected.append(loss.item())
    assert {"G.0.weight", "D.0.weight"} <= set(programs[0].function().parameters)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


W = '{ttir.name = "w", ttcore.argument_type = #ttcore.argument_type<parameter>}'
TWO_FUNCTIONS = f"""
func.func @read(%x: tensor<1x1x32x32xf32>, %w: tensor<1x1x32x32xf32> {W}) -> tensor<1x1x32x32xf32> {{
  %0 = "ttir.exp"(%w) : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  %1 = "ttir.matmul"(%x, %0) : (tensor<1x1x32x32xf32>, tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32>
  return %1 : tensor<1x1x32x32xf32>
}}
func.func @write(%w: tensor<1x1x32x32xf32> {W}, %y: tensor<1x1x1x32xf32>, %i: tensor<1xi32>) {{
  "ttir.update_cache"(%w, %y, %i) <{{batch_offset = 0 : i32}}>
      : (tensor<1x1x32x32xf32>, tensor<1x1x1x32xf32>, tensor<1xi32>) -> tensor<1x1x32x32xf32>
  return
}}
"""


def test_what_one_function_writes_stays_an_input_of_the_other():
    program, alone = ttstack.compile(TWO_FUNCTIONS), ttstack.compile(TWO_FUNCTIONS, function="read")
    assert "w" in program.function("read").parameters
    assert program.binary.fixed == ()
    assert alone.binary.fixed == ("w",)
