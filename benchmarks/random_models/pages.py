"""Random steps and prompts over caches in pages, by heads or by tokens, as vLLM has them."""

from random import Random

import torch
from torch import Tensor, nn

from benchmarks.random_models.attention import Attention, Shape, attend, make_norm

ORDERS = ("heads", "tokens", "joint")
"""[blocks, heads, rows, depth]; [blocks, rows, heads, depth]; and that of keys and values in one tensor."""
WRITES = ("block and row", "slots", "index_copy", "blocks")
READS = ("table", "select", "slots")


class Pages(nn.Module):
    """Caches of keys and values in blocks, one of which is nobody's."""

    def __init__(self, rng: Random, shape: Shape, blocks: int, length: int) -> None:
        super().__init__()
        self.order, self.put, self.take = rng.choice(ORDERS), rng.choice(WRITES), rng.choice(READS)
        self.length, self.token = length, (shape.groups, shape.depth)
        rows = (shape.groups, length) if self.order == "heads" else (length, shape.groups)
        held = shape.users * blocks + 1, *rows, shape.depth
        if self.order == "joint":
            self.register_buffer("both", torch.randn(2, *held))
        else:
            for name in ("keys", "values"):
                self.register_buffer(name, torch.randn(held))

    @property
    def caches(self) -> tuple[Tensor, ...]:
        """Those of keys and of values."""
        return self.both.unbind(0) if self.order == "joint" else (self.keys, self.values)

    def write(self, cache: Tensor, rows: Tensor, block: Tensor, offset: Tensor) -> None:
        """Rows [users, heads, tokens, depth] to places [users, tokens]."""
        tokens = rows.transpose(1, 2)
        if self.order == "heads":
            cache[block, :, offset] = tokens
        elif self.put == "blocks" and rows.shape[2] % self.length == 0:
            whole = tokens.reshape(len(rows), -1, self.length, *self.token)
            cache[block[:, :: self.length]] = whole
        elif self.put in ("block and row", "blocks"):
            cache[block, offset] = tokens
        elif self.put == "slots":
            cache.view(-1, *self.token)[block * self.length + offset] = tokens
        else:
            slots = (block * self.length + offset).flatten()
            cache.view(-1, *self.token).index_copy_(0, slots, tokens.flatten(0, 1))

    def read(self, cache: Tensor, table: Tensor) -> Tensor:
        """Rows [users, heads, length, depth] of the blocks that a table lists."""
        users = len(table)
        if self.order == "heads":
            return cache[table].transpose(1, 2).flatten(2, 3)
        if self.take == "table":
            return cache[table].flatten(1, 2).transpose(1, 2)
        if self.take == "select":
            return cache.index_select(0, table.flatten()).view(users, -1, *self.token).transpose(1, 2)
        slots = table[:, :, None] * self.length + torch.arange(self.length)
        return cache.view(-1, *self.token)[slots.flatten(1)].transpose(1, 2)

    def extra_repr(self) -> str:
        """Order and spellings."""
        return f"{self.order}, {self.put}, {self.take}"


class PagedStep(nn.Module):
    """A token for each user, at places of their own, over keys and values in blocks that a table lists."""

    def __init__(self, shape: Shape, pages: Pages, room: int) -> None:
        super().__init__()
        self.shape, self.pages, self.room, self.write = shape, pages, room, f"pages ({pages.extra_repr()})"
        self.norm, self.attention = make_norm(shape.norm, shape.width), Attention(shape)

    def forward(self, x: Tensor, at: Tensor, table: Tensor) -> Tensor:
        """(users, 1, width), positions, and the blocks of each user to (users, 1, width)."""
        users = torch.arange(self.shape.users)
        q, k, v = self.attention._heads(self.norm(x))
        block, offset = table[users, at // self.pages.length], at % self.pages.length
        for cache, rows in zip(self.pages.caches, (k, v), strict=True):
            self.pages.write(cache, rows, block[:, None], offset[:, None])
        seen = torch.arange(self.room)[None, None, None] <= at.view(-1, 1, 1, 1)
        held = (self.attention._repeat(self.pages.read(c, table)) for c in self.pages.caches)
        found = attend(q, *held, seen, "sdpa")
        return x + self.attention.out(found.transpose(1, 2).reshape(x.shape))


class PagedPrefill(nn.Module):
    """Prompts whose keys and values fill the blocks of a table."""

    def __init__(self, shape: Shape, pages: Pages) -> None:
        super().__init__()
        self.shape, self.pages, self.attention = shape, pages, Attention(shape)

    def forward(self, x: Tensor, table: Tensor) -> Tensor:
        """(users, length, width), and the blocks of each user, to the former."""
        q, k, v = self.attention._heads(x)
        at = torch.arange(x.shape[1])
        block, offset = table[:, at // self.pages.length], (at % self.pages.length).expand(len(x), -1)
        for cache, rows in zip(self.pages.caches, (k, v), strict=True):
            self.pages.write(cache, rows, block, offset)
        k, v = (self.attention._repeat(part) for part in (k, v))
        found = attend(q, k, v, None, "sdpa", causal=True)
        return self.attention.out(found.transpose(1, 2).reshape(x.shape))


def draw_paged_step(rng: Random, shape: Shape) -> tuple[PagedStep, tuple[Tensor, ...]]:
    """A step over pages and what it takes."""
    blocks, length = rng.choice((1, 2, 3)), rng.choice((16, 32, 64))
    at = torch.tensor([rng.randrange(blocks * length) for _ in range(shape.users)])
    table = torch.randperm(shape.users * blocks).view(shape.users, blocks)
    step = PagedStep(shape, Pages(rng, shape, blocks, length), blocks * length)
    return step, (torch.randn(shape.users, 1, shape.width), at, table)


def draw_paged_prefill(rng: Random, shape: Shape) -> tuple[PagedPrefill, tuple[Tensor, ...]]:
    """Prompts in pages and what they take."""
    length = rng.choice((16, 32, 64))
    blocks = -(-shape.length // length) + rng.choice((0, 1))
    table = torch.randperm(shape.users * blocks).view(shape.users, blocks)
    return PagedPrefill(shape, Pages(rng, shape, blocks, length)), (
        torch.randn(shape.users, shape.length, shape.width),
        table,
    )
