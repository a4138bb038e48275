"""Random steps of decoding: new tokens are written into caches and attend to what these hold."""

from random import Random

import torch
from torch import Tensor, nn

from benchmarks.random_models.attention import Attention, Shape, attend, make_norm, mask_of, rotate
from benchmarks.random_models.pages import PagedStep, draw_paged_step

WRITES = ("index_copy", "slice", "where", "scatter", "each", "pages", "pages", "ring")
RINGS = ("up to", "or full", "all where full", "written", "written of late")
"""How a mask says which rows of a ring were written."""


class Step(nn.Module):
    """A token for each user, at one position or at one for each user, over keys and values of those before."""

    def __init__(self, shape: Shape, room: int, write: str, ring: str = "") -> None:
        super().__init__()
        self.shape, self.room, self.write, self.ring = shape, room, write, ring
        self.norm, self.attention = make_norm(shape.norm, shape.width), Attention(shape)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.randn(shape.users, shape.groups, room, shape.depth))

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        """(users, 1, width) and positions to (users, 1, width)."""
        shape = self.shape
        q, k, v = self.attention._heads(self.norm(x))
        if self.write != "each":
            q, k = (rotate(part, shape.rotation, at) for part in (q, k))
        now = at % self.room if self.ring else at
        self._put(self.keys, k, now)
        self._put(self.values, v, now)
        seen = self._seen(at.view(-1, 1, 1, 1), torch.arange(self.room)[None, None, None])
        if shape.mask == "window" and not self.ring:
            seen = seen & (torch.arange(self.room)[None, None, None] > at.view(-1, 1, 1, 1) - 7)
        mask = torch.where(seen, 0.0, torch.finfo(torch.float32).min) if shape.mask == "filled" else seen
        k, v = (self.attention._repeat(cache) for cache in (self.keys, self.values))
        found = attend(q, k, v, mask, "sdpa" if shape.core == "module" else shape.core)
        return x + self.attention.out(found.transpose(1, 2).reshape(x.shape))

    def _seen(self, at: Tensor, rows: Tensor) -> Tensor:
        written = at - (at - rows) % self.room
        match self.ring:
            case "or full":
                return (rows <= at % self.room) | (at >= self.room)
            case "all where full":
                return torch.where(at >= self.room, torch.ones_like(rows, dtype=torch.bool), rows <= at % self.room)
            case "written":
                return written >= 0
            case "written of late":
                return (written >= 0) & (written > at - self.room)
            case _:
                return rows <= at

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


def draw_step(rng: Random, shape: Shape) -> tuple[Step | PagedStep, tuple[Tensor, ...]]:
    """A step and what it takes."""
    room, write = rng.choice((32, 33, 64, 96, 100)), rng.choice(WRITES)
    if write == "pages":
        return draw_paged_step(rng, shape)
    ring, write = (rng.choice(RINGS), rng.choice(("index_copy", "each"))) if write == "ring" else ("", write)
    count, most = shape.users if write == "each" else 1, 3 * room if ring else room
    at = torch.tensor([rng.randrange(most) for _ in range(count)])
    return Step(shape, room, write, ring), (torch.randn(shape.users, 1, shape.width), at)


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
