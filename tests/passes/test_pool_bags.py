"""Bags that offsets say are pooled for all tables at once, where that is faster."""

import pytest
import torch
from torch import Tensor, nn

import ttstack

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


@pytest.mark.parametrize("include_last_offset", [False, True])
def test_all_tables_are_pooled_by_one_product(include_last_offset: bool):
    torch.manual_seed(0)
    model = Bags(include_last_offset=include_last_offset).eval()
    indices = [torch.randint(0, ROWS, (INDICES,)) for _ in range(TABLES)]
    starts = [torch.cat([torch.tensor([0, 0]), torch.randint(0, INDICES, (BAGS - 2,)).sort().values]) for _ in indices]
    offsets = [torch.cat([s, torch.tensor([INDICES])]) if include_last_offset else s for s in starts]
    with torch.no_grad():
        wanted = model(indices, offsets)
    for without in (None, "pool-bags"):
        program = ttstack.compile(model, (indices, offsets), placement="dram", without=without)
        given = dict(zip(program.inputs(), (t.numpy() for t in (*indices, *offsets)), strict=True))
        (found,) = program.run(given).outputs.values()
        torch.testing.assert_close(torch.from_numpy(found), wanted, rtol=1e-5, atol=1e-5)
        names = [op.name for op in program.cost().ops]
        assert [names.count(name) for name in ("embedding_bag", "embedding", "matmul")] == (
            [TABLES, 0, 0] if without else [0, TABLES, 1]
        )
