"""Parameters that a program takes to be finite are finite where it is compiled, run and emitted."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack.compiled_program import Program
from ttstack.diagnostics import ExecutionError, InputError
from ttstack.options.choices import Engine
from ttstack.program.finite_values import is_finite
from ttstack.program.records import Weight
from ttstack.training import compile_step
from ttstack.ttnn_python import write_python

ROWS, WIDTH, INDICES, BAGS = 40, 64, 256, 96
POISONS = (float("inf"), float("-inf"), float("nan"))
REFUSED = "compiled for finite values of 'table.weight'"


class Bags(nn.Module):
    """Sums of bags of rows of one table, which `embedding-bags-by-matmul` computes as a matmul with zeros and ones."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(ROWS, WIDTH, mode="sum")

    def forward(self, indices: Tensor, starts: Tensor) -> Tensor:
        """[indices], [bags] to [bags, width]."""
        return self.table(indices, starts)


def drawn(poison: float = 0.0) -> tuple[Bags, Tensor, Tensor]:
    """A model whose table has this value in its last row, which the last bag reads."""
    torch.manual_seed(0)
    model = Bags().eval().requires_grad_(False)
    model.table.weight[-1, -1] = poison
    indices = torch.randint(0, ROWS - 1, (INDICES,))
    indices[-1] = ROWS - 1
    return model, indices, torch.cat([torch.tensor([0]), torch.randint(0, INDICES - 1, (BAGS - 1,)).sort().values])


def values(*given: Tensor) -> dict[str, np.ndarray]:
    """By the names of inputs."""
    return dict(zip(("indices", "starts"), (t.numpy() for t in given), strict=True))


def saved(program: Program, path: Path) -> Program:
    program.save(path)
    return ttstack.load(path)


def with_table(program: Program, table: np.ndarray) -> Program:
    """The same program, with other values of its table."""
    weights = program.binary.weights
    held = Weight("table.weight", weights["table.weight"].type, table)
    return Program(replace(program.binary, weights={**weights, held.name: held}))


@pytest.mark.parametrize("kept", [lambda program, _: program, saved], ids=["compiled", "loaded"])
@pytest.mark.parametrize("engine", ["numpy", "cpu"])
def test_values_of_a_table_that_are_not_finite_are_refused(
    kept: Callable[[Program, Path], Program], engine: Engine, tmp_path: Path
):
    model, indices, starts = drawn()
    program = kept(ttstack.compile(model, (indices, starts), without="split-float32-tables"), tmp_path / "m.ttb")
    assert program.binary.finite == ("table.weight",)
    assert "matmul" in [op.name for op in program.cost().ops]
    given, table = values(indices, starts), model.table.weight.numpy()
    poisoned = table.copy()
    for poison in POISONS:
        poisoned = table.copy()
        poisoned[-1, -1] = poison
        with pytest.raises(InputError, match=REFUSED):
            program.run({**given, "table.weight": poisoned}, engine=engine)
        with pytest.raises(InputError, match=REFUSED):
            next(program.steps([given], state={"table.weight": poisoned}, engine=engine))
        with pytest.raises(ExecutionError, match=REFUSED):
            with_table(program, poisoned).run(given, engine=engine)
    (found,) = with_table(program, poisoned).run({**given, "table.weight": 2 * table}, engine=engine).outputs.values()
    np.testing.assert_allclose(found, 2 * model(indices, starts).numpy(), rtol=1e-5, atol=1e-5)


def test_a_table_that_is_known_not_to_be_finite_is_not_multiplied_by_zeros():
    for poison in POISONS:
        model, indices, starts = drawn(poison)
        program = ttstack.compile(model, (indices, starts), without="split-float32-tables")
        assert program.binary.finite == ()
        assert "embedding_bag" in [op.name for op in program.cost().ops]
        (found,) = program.run(values(indices, starts)).outputs.values()
        wanted = model(indices, starts).numpy()
        assert not np.isfinite(wanted).all()
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_the_program_s_own_values_are_checked_once(monkeypatch: pytest.MonkeyPatch):
    model, indices, starts = drawn()
    program, checked = (
        ttstack.compile(model, (indices, starts), without="split-float32-tables"),
        list[tuple[int, ...]](),
    )

    def counted(array: np.ndarray) -> bool:
        checked.append(array.shape)
        return is_finite(array)

    monkeypatch.setattr("ttstack.program.records.is_finite", counted)
    for _ in range(3):
        program.run(values(indices, starts))
    assert checked == [(ROWS, WIDTH)]


def test_a_described_table_is_checked_where_it_is_given():
    model, indices, starts = drawn()
    with torch.device("meta"):
        described = Bags().eval()
    program = ttstack.compile(described, (indices, starts), without="split-float32-tables")
    assert program.binary.finite == ("table.weight",)
    program.run(values(indices, starts))
    table = model.table.weight.numpy().copy()
    table[3, 5] = np.inf
    with pytest.raises(InputError, match=REFUSED):
        program.run({**values(indices, starts), "table.weight": table})


def test_a_table_that_a_step_writes_is_not_multiplied_by_zeros():
    _, indices, starts = drawn()
    model = Bags().train()
    program = compile_step(
        model, (indices, starts), loss=lambda bags: bags.square().mean(), optimizer=lambda p: torch.optim.SGD(p, lr=0.1)
    )
    assert program.binary.finite == ()


def test_values_that_are_not_finite_are_not_emitted(tmp_path: Path):
    model, indices, starts = drawn()
    program = ttstack.compile(model, (indices, starts), without="split-float32-tables")
    poisoned = with_table(program, np.full((ROWS, WIDTH), np.nan, np.float32))
    code, weights = tmp_path / "m.py", tmp_path / "m.safetensors"
    with pytest.raises(ExecutionError, match=REFUSED):
        write_python(poisoned.binary, poisoned.function(), "m", code, weights)
    assert not list(tmp_path.iterdir())
    write_python(program.binary, program.function(), "m", code, weights)
    assert weights.exists()


@pytest.mark.parametrize("shape", [(), (0, 4), (3, 5), (1 << 13, 1 << 12)])
def test_every_part_of_a_large_array_is_looked_at(shape: tuple[int, ...]):
    array = np.zeros(shape, np.float16)
    assert is_finite(array)
    if array.size:
        array.reshape(-1)[-1] = np.nan
        assert not is_finite(array)
