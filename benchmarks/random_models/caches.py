"""Random steps of decoding: new tokens are written into caches and attend to what these hold."""

from random import Random

import torch
from torch import Tensor, nn

from benchmarks.random_models.attention import Attention, Shape, attend, make_norm, mask_of, rotate

WRITES = ("index_copy", "slice", "where", "scatter", "each", "pages")


class Step(nn.Module):
    """A token for each user, at one position or at one for each user, over keys and values of those before."""

    def __init__(self, shape: Shape, room: int, write: str) -> None:
        super().__init__()
        self.shape, self.room, self.write = shape, room, write
        self.norm, self.attention = make_norm(shape.norm, shape.width), Attention(shape)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.randn(shape.users, shape.groups, room, shape.depth))

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        """(users, 1, width) and positions to (users, 1, width)."""
        shape = self.shape
        q, k, v = self.attention._heads(self.norm(x))
        if self.write != "each":
            q, k = (rotate(part, shape.rotation, at) for part in (q, k))
        self._put(self.keys, k, at)
        self._put(self.values, v, at)
        seen = torch.arange(self.room)[None, None, None] <= at.view(-1, 1, 1, 1)
        if shape.mask == "window":
            seen = seen & (torch.arange(self.room)[None, None, None] > at.view(-1, 1, 1, 1) - 7)
        mask = torch.where(seen, 0.0, torch.finfo(torch.float32).min) if shape.mask == "filled" else seen
        k, v = (self.attention._repeat(cache) for cache in (self.keys, self.values))
        found = attend(q, k, v, mask, "sdpa" if shape.core == "module" else shape.core)
        return x + self.attention.out(found.transpose(1, 2).reshape(x.shape))

    def _put(self, cache: Tensor, rows: Tensor, at: Tensor) -> None:
        match self.write:
            case "index_copy":
                cache.index_copy_(2, at, rows)
            case "slice":
                cache[:, :, at] = rows
            case "where":
                cache.copy_(torch.where((torch.arange(self.room) == at)[:, None], rows, cache))
            case "scatter":
                cache.scatter_(2, at.view(1, 1, 1, 1).expand(rows.shape), rows)
            case _:
                cache.copy_(torch.where((torch.arange(self.room) == at[:, None])[:, None, :, None], rows, cache))


class PagedStep(Step):
    """A token for each user, at places of their own, over keys and values in blocks that a table lists."""

    def __init__(self, shape: Shape, blocks: int, length: int) -> None:
        super().__init__(shape, blocks * length, "pages")
        self.length = length
        for name in ("keys", "values"):
            held = shape.users * blocks + 1, shape.groups, length, shape.depth
            self.register_buffer(name, torch.randn(held))

    def forward(self, x: Tensor, at: Tensor, table: Tensor) -> Tensor:
        """(users, 1, width), positions, and the blocks of each user to (users, 1, width)."""
        users = torch.arange(self.shape.users)
        q, k, v = self.attention._heads(self.norm(x))
        block, offset = table[users, at // self.length], at % self.length
        for cache, rows in ((self.keys, k), (self.values, v)):
            cache[block, :, offset] = rows[:, :, 0]
        seen = torch.arange(self.room)[None, None, None] <= at.view(-1, 1, 1, 1)
        held = (c[table].transpose(1, 2).flatten(2, 3) for c in (self.keys, self.values))
        found = attend(q, *(self.attention._repeat(c) for c in held), seen, "sdpa")
        return x + self.attention.out(found.transpose(1, 2).reshape(x.shape))


def draw_paged_step(rng: Random, shape: Shape) -> tuple[PagedStep, tuple[Tensor, ...]]:
    """A step over pages and what it takes."""
    blocks, length = rng.choice((1, 2, 3)), rng.choice((16, 32, 64))
    at = torch.tensor([rng.randrange(blocks * length) for _ in range(shape.users)])
    table = torch.randperm(shape.users * blocks).view(shape.users, blocks)
    return PagedStep(shape, blocks, length), (torch.randn(shape.users, 1, shape.width), at, table)


def draw_step(rng: Random, shape: Shape) -> tuple[Step, tuple[Tensor, ...]]:
    """A step and what it takes."""
    room, write = rng.choice((32, 33, 64, 96, 100)), rng.choice(WRITES)
    if write == "pages":
        return draw_paged_step(rng, shape)
    count = shape.users if write == "each" else 1
    at = torch.tensor([rng.randrange(room) for _ in range(count)])
    return Step(shape, room, write), (torch.randn(shape.users, 1, shape.width), at)


class Prefill(nn.Module):
    """A prompt whose keys and values fill the start of caches."""

    def __init__(self, shape: Shape, room: int) -> None:
        super().__init__()
        self.shape, self.attention = shape, Attention(shape)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(shape.users, shape.groups, room, shape.depth))

    def forward(self, x: Tensor) -> Tensor:
        """(users, length, width) to the same."""
        q, k, v = self.attention._heads(x)
        self.keys[:, :, : x.shape[1]] = k
        self.values[:, :, : x.shape[1]] = v
        k, v = (self.attention._repeat(part) for part in (k, v))
        core = "sdpa" if self.shape.core == "module" else self.shape.core
        mask = mask_of(self.shape.mask, x.shape[1], x.shape[1])
        found = attend(q, k, v, mask, core, causal=self.shape.mask == "causal")
        return self.attention.out(found.transpose(1, 2).reshape(x.shape))
