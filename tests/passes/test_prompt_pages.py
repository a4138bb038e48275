"""Prompts that are written into caches in pages, in the ways in which programs spell it: blocks of a table are filled."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

FILL, WRITE = "paged_fill_cache", "paged_update_cache"


@dataclass(frozen=True)
class Size:
    """Prompts, heads, rows of a block, blocks of a prompt, and tokens of a prompt."""

    users: int = 2
    heads: int = 2
    length: int = 32
    blocks: int = 4
    count: int = 64


@dataclass(frozen=True)
class Prompts:
    """Keys [users, count, heads, 32], where they go, and the cache."""

    size: Size
    cache: Tensor
    keys: Tensor
    table: Tensor

    @property
    def tokens(self) -> Tensor:
        return self.cache.view(-1, *self.cache.shape[2:])

    @property
    def rows(self) -> Tensor:
        return torch.arange(self.size.count) % self.size.length

    def blocks(self, first: int = 0) -> Tensor:
        return self.table[:, torch.arange(self.size.count) // self.size.length + first]

    def slots(self, first: int = 0) -> Tensor:
        return self.blocks(first) * self.size.length + self.rows

    @property
    def pages(self) -> Tensor:
        return self.keys.view(self.size.users, -1, self.size.length, self.size.heads, 32)

    @property
    def listed(self) -> Tensor:
        return self.table[:, : self.size.count // self.size.length]

    @property
    def counted(self) -> Tensor:
        slots = self.table[:, :, None] * self.size.length + torch.arange(self.size.length)
        return slots.flatten(1)[:, : self.size.count]

    @property
    def gathered(self) -> Tensor:
        places = torch.arange(self.size.count) // self.size.length
        return self.table.gather(1, places.expand(self.size.users, -1))


Write = Callable[[Prompts], Any]

BY_TOKEN: dict[str, Write] = {
    "slots": lambda p: p.tokens.__setitem__(p.slots().flatten(), p.keys.flatten(0, 1)),
    "slots of users": lambda p: p.tokens.__setitem__(p.slots(), p.keys),
    "index_copy": lambda p: p.tokens.index_copy_(0, p.slots().flatten(), p.keys.flatten(0, 1)),
    "one user": lambda p: p.tokens.__setitem__(p.slots()[1], p.keys[0]),
    "counted slots": lambda p: p.tokens.__setitem__(p.counted, p.keys),
    "later blocks": lambda p: p.tokens.__setitem__(p.slots(1), p.keys),
    "gathered": lambda p: p.cache.__setitem__((p.gathered, p.rows), p.keys),
    "block and row": lambda p: p.cache.__setitem__((p.blocks(), p.rows), p.keys),
    "blocks": lambda p: p.cache.__setitem__(p.listed, p.pages),
    "flat blocks": lambda p: p.cache.__setitem__(p.listed.flatten(), p.pages.flatten(0, 1)),
    "copied blocks": lambda p: p.cache.index_copy_(0, p.listed.flatten(), p.pages.flatten(0, 1)),
    "backwards": lambda p: p.tokens.__setitem__(p.slots().flip(1), p.keys),
}
BY_HEAD: dict[str, Write] = {
    "block and row": lambda p: p.cache.__setitem__((p.blocks(), slice(None), p.rows), p.keys),
    "blocks": lambda p: p.cache.__setitem__(p.listed, p.pages.transpose(2, 3)),
}


class Prefill(nn.Module):
    """Keys of prompts go into blocks that a table lists; gives a sum of them."""

    def __init__(self, size: Size, write: Write, *, by_head: bool) -> None:
        super().__init__()
        self.size, self.write, self.key = size, write, nn.Linear(32, size.heads * 32)
        page = (size.heads, size.length) if by_head else (size.length, size.heads)
        self.keys = nn.Buffer(torch.randn(size.users * size.blocks + 1, *page, 32))

    def forward(self, x: Tensor, table: Tensor) -> Tensor:
        keys = self.key(x).unflatten(-1, (-1, 32))
        self.write(Prompts(self.size, self.keys, keys, table))
        return keys.sum(1)


def compare(
    write: Write, size: Size | None = None, *, by_head: bool = False, without: str | tuple[()] = ()
) -> list[str]:
    """The ops of the program, whose values are PyTorch's."""
    torch.manual_seed(0)
    size = size or Size()
    model = Prefill(size, write, by_head=by_head).eval().requires_grad_(False)
    inputs = torch.randn(size.users, size.count, 32), torch.randperm(size.users * size.blocks).view(size.users, -1)
    program = ttstack.compile(model, inputs, without=without)
    done = program.run(dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True)))
    want = model(*inputs)
    (got,) = done.outputs.values()
    np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
    np.testing.assert_allclose(done.updated["keys"], model.keys.numpy(), atol=1e-5)
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize(
    ("write", "by_head"),
    [*((name, False) for name in BY_TOKEN if name != "backwards"), *((name, True) for name in BY_HEAD)],
)
def test_prompts_fill_blocks(write: str, by_head: bool):
    ops = compare((BY_HEAD if by_head else BY_TOKEN)[write], by_head=by_head)
    assert ops.count(FILL) == 1
    assert {"scatter", "gather", "embedding", "assign", WRITE}.isdisjoint(ops)


@pytest.mark.parametrize(
    ("write", "size", "by_head"),
    [
        ("slots", Size(users=1, heads=1), False),
        ("block and row", Size(heads=3, length=64, blocks=1), False),
        ("blocks", Size(users=3, blocks=2, heads=1), False),
        ("blocks", Size(heads=33), False),
        ("blocks", Size(heads=32), False),
        ("blocks", Size(heads=32), True),
    ],
)
def test_prompts_of_any_heads_fill_blocks(write: str, size: Size, by_head: bool):
    assert FILL in compare((BY_HEAD if by_head else BY_TOKEN)[write], size, by_head=by_head)


@pytest.mark.parametrize("count", [33, 70, 95])
def test_tokens_that_fill_no_tile_are_written_by_rows(count: int):
    """The library fills whole tiles: what stands behind a prompt stays as it is."""
    ops = compare(BY_TOKEN["slots of users"], Size(count=count))
    assert ops.count(FILL) == 1 <= ops.count(WRITE) <= 2
    assert "scatter" not in ops


@pytest.mark.parametrize(
    ("write", "size", "writes"),
    [("backwards", Size(heads=8, blocks=64), 2), ("slots", Size(count=20), 1), ("backwards", Size(), 0)],
)
def test_other_tokens_are_written_by_rows_where_that_pays(write: str, size: Size, writes: int):
    """Tokens in no order that is known, and short prompts; not where a cache is as small as what is written."""
    ops = compare(BY_TOKEN[write], size)
    assert (ops.count(FILL), ops.count(WRITE)) == (0, writes)


def test_it_can_be_left_out():
    assert {FILL, WRITE}.isdisjoint(compare(BY_TOKEN["slots"], without="paged-caches"))
