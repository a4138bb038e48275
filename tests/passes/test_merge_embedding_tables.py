"""Lookups in several tables are one in a table with the rows of all, where that is faster."""

from collections.abc import Callable
from typing import Unpack

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack.compiled_program import Program
from ttstack.options.choices import Choices

COUNT, WIDTH, INDICES = 6, 64, 512


class Tables(nn.Module):
    """A table for each list of indices, whose rows are put together."""

    def __init__(self, together: Callable[[list[Tensor]], Tensor], *, shared: bool = False, tied: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.tables = nn.ModuleList(nn.Embedding(40 + 3 * i, WIDTH) for i in range(COUNT))
        self.together, self.shared, self.tied = together, shared, tied

    def forward(self, indices: list[Tensor]) -> Tensor:
        tables = [*self.tables][: COUNT // 2] * 2 if self.shared else [*self.tables]
        rows = self.together([table(i) for table, i in zip(tables, indices, strict=True)])
        weight = self.get_parameter("tables.0.weight")
        return rows @ weight.T @ weight if self.tied else rows.relu()


def added(rows: list[Tensor]) -> Tensor:
    return torch.stack(rows).sum(0)


def compiled(model: Tables, *shape: int, **options: Unpack[Choices]) -> tuple[Program, list[Tensor]]:
    indices = [torch.randint(0, 40, shape) for _ in range(COUNT)]
    return ttstack.compile(model.eval(), (indices,), **options), indices


def check(model: Tables, program: Program, indices: list[Tensor]) -> None:
    given = dict(zip(program.inputs(), (i.numpy() for i in indices), strict=True))
    with torch.no_grad():
        wanted = model(indices).numpy()
    (found,) = program.run(given).outputs.values()
    np.testing.assert_allclose(found, wanted, atol=1e-5 * np.abs(wanted).max())


def lookups(program: Program) -> int:
    return [op.name for op in program.cost().ops].count("embedding")


@pytest.mark.parametrize("together", [torch.cat, torch.stack])
@pytest.mark.parametrize("shape", [(INDICES,), (1, INDICES)])
def test_one_lookup_serves_all_tables(together: Callable[[list[Tensor]], Tensor], shape: tuple[int, ...]):
    model = Tables(together)
    program, indices = compiled(model, *shape, dtype="bf16")
    apart, _ = compiled(model, *shape, dtype="bf16", without="merge-embedding-tables")
    assert (lookups(program), lookups(apart)) == (1, COUNT)
    assert program.cost().total_ns < apart.cost().total_ns
    check(model, program, indices)
    check(model, apart, indices)


def test_a_table_that_several_read_is_held_once():
    model = Tables(torch.stack, shared=True)
    program, indices = compiled(model, INDICES, dtype="bf16")
    assert lookups(program) == 1
    assert (40 + 43 + 46, WIDTH) in [tensor.type.shape for tensor in program.function().tensors]
    check(model, program, indices)


def test_a_table_that_something_else_reads_stays():
    model = Tables(added, tied=True)
    program, indices = compiled(model, INDICES, dtype="bf16")
    assert lookups(program) == COUNT
    check(model, program, indices)


@pytest.mark.parametrize("shape", [(2, 256), (4, INDICES)])
def test_lookups_stay_apart_where_they_fill_the_cores_or_their_indices_cut_tiles(shape: tuple[int, ...]):
    model = Tables(torch.cat)
    program, indices = compiled(model, *shape, dtype="bf16")
    assert lookups(program) == COUNT
    check(model, program, indices)


class Columns(nn.Module):
    """A table for each column of indices, looked up one after the other."""

    def __init__(self, together: Callable[[list[Tensor]], Tensor]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.tables = nn.ModuleList(nn.Embedding(40, WIDTH) for _ in range(COUNT))
        self.together = together

    def forward(self, indices: Tensor) -> Tensor:
        return self.together([table(indices[:, i]).sin() for i, table in enumerate(self.tables)])


class Beside(Columns):
    """The same, put side by side as they are looked up."""

    def forward(self, indices: Tensor) -> Tensor:
        return torch.cat([table(indices[:, i]) for i, table in enumerate(self.tables)], -1).relu()


@pytest.mark.parametrize("model", [Columns(added), Columns(lambda rows: torch.cat(rows, -1)), Beside(added)])
def test_indices_of_later_lookups_are_computed_first(model: nn.Module):
    indices = torch.randint(0, 40, (INDICES, COUNT))
    program = ttstack.compile(model.eval(), (indices,), dtype="bf16")
    (found,) = program.run({name: indices.numpy() for name in program.inputs()}).outputs.values()
    np.testing.assert_allclose(found, model(indices).detach().numpy(), atol=1e-5)
    assert lookups(program) == 1
    assert "concat" not in [op.name for op in program.cost().ops if not op.operands[0].type.dtype.is_float]


def test_a_lookup_that_decides_indices_of_another_stays():
    class Chained(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Embedding(40, WIDTH), nn.Embedding(40, WIDTH)

        def forward(self, indices: Tensor) -> Tensor:
            rows = self.first(indices)
            return rows + self.second(rows.abs().argmax(-1) % 40)

    torch.manual_seed(0)
    model, indices = Chained().eval(), torch.randint(0, 40, (INDICES,))
    program = ttstack.compile(model, (indices,), without="split-float32-tables")
    (found,) = program.run({name: indices.numpy() for name in program.inputs()}).outputs.values()
    np.testing.assert_allclose(found, model(indices).detach().numpy(), atol=1e-5)
    assert lookups(program) == 2
