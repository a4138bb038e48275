"""Bags that offsets say are pooled for all tables at once, where that is faster."""

import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack.compiled_program import Program
from ttstack.passes.ttir.embeddings.embedding_bags_by_matmul import EmbeddingBagsByMatmul

TABLES, ROWS, WIDTH, INDICES, BAGS = 4, 40, 64, 256, 96


class Bags(nn.Module):
    def __init__(self, *, include_last_offset: bool) -> None:
        super().__init__()
        tables = (
            nn.EmbeddingBag(ROWS, WIDTH, mode="sum", include_last_offset=include_last_offset) for _ in range(TABLES)
        )
        self.tables = nn.ModuleList(tables)

    def forward(self, indices: list[Tensor], offsets: list[Tensor]) -> Tensor:
        found = [table(i, o) for table, i, o in zip(self.tables, indices, offsets, strict=True)]
        return torch.cat(found, dim=1).relu()


def drawn(*, include_last_offset: bool) -> tuple[nn.Module, list[Tensor], list[Tensor], Tensor]:
    """Bags of which some are empty, among them the first."""
    torch.manual_seed(0)
    model = Bags(include_last_offset=include_last_offset).eval()
    indices = [torch.randint(0, ROWS, (INDICES,)) for _ in range(TABLES)]
    starts = [torch.cat([torch.tensor([0, 0]), torch.randint(0, INDICES, (BAGS - 2,)).sort().values]) for _ in indices]
    offsets = [torch.cat([s, torch.tensor([INDICES])]) if include_last_offset else s for s in starts]
    with torch.no_grad():
        return model, indices, offsets, model(indices, offsets)


def names_of(program: Program, indices: list[Tensor], offsets: list[Tensor], wanted: Tensor) -> list[str]:
    """Its ops, where it gives the values that are wanted."""
    given = dict(zip(program.inputs(), (t.numpy() for t in (*indices, *offsets)), strict=True))
    (found,) = program.run(given).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), wanted, rtol=1e-5, atol=1e-5)
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize("include_last_offset", [False, True])
@pytest.mark.parametrize("dtype", [None, "bf16"])
def test_all_tables_are_pooled_by_one_product(include_last_offset: bool, dtype: str | None):
    model, indices, offsets, wanted = drawn(include_last_offset=include_last_offset)
    program = ttstack.compile(model, (indices, offsets), dtype=dtype)
    names = names_of(program, indices, offsets, wanted)
    tables = 1 if dtype else 3  # of rows: three of bf16 add up to one of float32
    assert [names.count(name) for name in ("embedding", "matmul")] == [tables + 1, 2]  # and of ones; of bags, of sums
    assert not {"embedding_bag", "slice_static", "ge"} & {*names}
    apart = ttstack.compile(model, (indices, offsets), dtype=dtype, without="embedding-bags-by-matmul")
    assert names_of(apart, indices, offsets, wanted).count("embedding_bag") == TABLES
    assert program.cost().total_ns < apart.cost().total_ns


@pytest.mark.parametrize("include_last_offset", [False, True])
def test_ones_are_compared_where_no_matrix_may_be_held(include_last_offset: bool):
    model, indices, offsets, wanted = drawn(include_last_offset=include_last_offset)
    program = ttstack.compile(
        model, (indices, offsets), passes={"before:embedding-bags-by-matmul": EmbeddingBagsByMatmul(max_bytes=0)}
    )
    names = names_of(program, indices, offsets, wanted)
    assert [names.count(name) for name in ("embedding_bag", "ge", "lt", "matmul")] == [0, 1, 1, 1]


def test_bags_whose_rows_are_not_read_together_are_cut_out():
    class Cut(Bags):
        def forward(self, indices: list[Tensor], offsets: list[Tensor]) -> Tensor:
            first, *others = (table(i, o) for table, i, o in zip(self.tables, indices, offsets, strict=True))
            return first * torch.stack(others).amax(0)

    _, indices, offsets, _ = drawn(include_last_offset=False)
    model = Cut(include_last_offset=False).eval()
    with torch.no_grad():
        wanted = model(indices, offsets)
    program = ttstack.compile(model, (indices, offsets), dtype="bf16")
    names = names_of(program, indices, offsets, wanted)
    assert "embedding_bag" not in names
    assert names.count("slice_static") == TABLES


def test_sums_of_all_tables_stay_apart_where_they_are_features():
    """Sums come as heads do, and features are heads: a concat of heads lays them below the dense one."""
    torch.manual_seed(0)

    class Pairs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tables = nn.ModuleList(nn.EmbeddingBag(ROWS, WIDTH, mode="sum") for _ in range(31))

        def forward(self, dense: Tensor, indices: list[Tensor], offsets: list[Tensor]) -> Tensor:
            bags = [table(i, o) for table, i, o in zip(self.tables, indices, offsets, strict=True)]
            features = torch.stack([dense, *bags], dim=1)
            return features @ features.transpose(1, 2)

    model, dense = Pairs().eval(), torch.randn(BAGS, WIDTH)
    indices = [torch.randint(0, ROWS, (INDICES,)) for _ in model.tables]
    offsets = [torch.randint(0, INDICES, (BAGS,)).sort().values.index_fill(0, torch.tensor([0]), 0) for _ in indices]
    program = ttstack.compile(model, (dense, indices, offsets), dtype="bf16")
    with torch.no_grad():
        wanted = model(dense, indices, offsets)
    given = dict(zip(program.inputs(), (t.numpy() for t in (dense, *indices, *offsets)), strict=True))
    (found,) = program.run(given).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), wanted, rtol=1e-4, atol=1e-3)
    names = [op.name for op in program.cost().ops]
    assert not {"split_heads", "concatenate_heads", "embedding_bag"} & {*names}
    assert names.count("concat") == 3  # of indices, of offsets, and of features
