"""Caches that are rings, written at a position's remainder: attended up to the position, and whole once they are full."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack_runtime.executor import run

READ, USERS, ROWS = "scaled_dot_product_attention_decode", 8, 128


@dataclass(frozen=True)
class Ring:
    """Positions [users or 1, 1], rows in a line, and the row of each that is written now."""

    at: Tensor
    rows: Tensor

    @property
    def now(self) -> Tensor:
        return self.at % ROWS

    @property
    def written(self) -> Tensor:
        """The position that each row was written at."""
        return self.at - (self.at - self.rows) % ROWS


Mask = Callable[[Ring], Tensor]
MASKS: dict[str, Mask] = {
    "up to": lambda r: r.rows <= r.at,
    "up to the least": lambda r: r.rows <= r.at.clamp(max=ROWS - 1),
    "fewer than": lambda r: r.rows < torch.minimum(r.at + 1, torch.tensor(ROWS)),
    "or full": lambda r: (r.rows <= r.at) | (r.at >= ROWS),
    "or gone round": lambda r: (r.at >= ROWS) | (r.rows <= r.now),
    "unless gone round": lambda r: (r.rows <= r.now) | ~(r.at < ROWS),
    "all where gone round": lambda r: torch.where(r.at >= ROWS, torch.ones(1, ROWS, dtype=torch.bool), r.rows <= r.now),
    "up to now where not": lambda r: torch.where(r.at < ROWS, r.rows <= r.now, True),
    "written": lambda r: r.written >= 0,
    "written before 0": lambda r: ~(r.written < 0),
    "written of late": lambda r: (r.written > -1) & (r.written > r.at - ROWS) & (r.written <= r.at),
    "of an age": lambda r: (((r.at - r.rows) % ROWS) < ROWS) & (r.written >= 0),
}
OTHERS: dict[str, Mask] = {
    "a shorter window": lambda r: (r.written >= 0) & (r.written > r.at - 16),
    "a longer ring": lambda r: r.at - (r.at - r.rows) % (ROWS // 2) >= 0,
    "the last row": lambda r: (r.rows <= r.now) & (r.at < ROWS),
}


class Step(nn.Module):
    """A token a user goes to its row; its query sees what the mask shows."""

    def __init__(self, mask: Mask, *, filled: bool, each: bool) -> None:
        super().__init__()
        self.mask, self.filled, self.each = mask, filled, each
        self.projections = nn.ModuleList(nn.Linear(32, heads * 32) for heads in (16, 8, 8))
        self.keys, self.values = (nn.Buffer(torch.randn(USERS, 8, ROWS, 32)) for _ in range(2))

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        q, k, v = (p(x).view(USERS, -1, 1, 32) for p in self.projections)
        for cache, rows in ((self.keys, k), (self.values, v)):
            if self.each:
                cache[torch.arange(USERS), :, at % ROWS] = rows[:, :, 0]
            else:
                cache.index_copy_(2, at % ROWS, rows)
        seen = self.mask(Ring(at[:, None], torch.arange(ROWS)))[:, None, None]
        mask = torch.where(seen, 0.0, torch.finfo(torch.float32).min) if self.filled else seen
        out = nn.functional.scaled_dot_product_attention(q, self.keys, self.values, mask, enable_gqa=True)
        return out.flatten(1)


def last_positions(mask: Mask, at: list[list[int]], *, filled: bool) -> list[Any] | None:
    """Positions that the op for single tokens was given, step by step; values are PyTorch's."""
    torch.manual_seed(0)
    step = Step(mask, filled=filled, each=len(at[0]) > 1).eval().requires_grad_(False)
    x = torch.randn(USERS, 32)
    program = ttstack.compile(step, (x, torch.tensor(at[0])))
    state, positions, function = dict[str, Any](), list[Any](), program.function()
    for now in at:
        seen = list[Any]()

        def watch(op: Any, values: Any, seen: list[Any] = seen) -> None:
            if op.name == READ:
                seen.append(np.array(values[op.operands[4]]))

        done = run(program.binary, {"x": x.numpy(), "at": np.array(now)} | state, watch=watch)
        want = step(x, torch.tensor(now))
        (got,) = done.outputs.values()
        np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
        state = {name: array for name, array in done.updated.items() if name in function.parameters}
        positions += [list(p) for p in seen]
    return positions or None


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("mask", MASKS)
def test_rings_are_read_up_to_the_position_and_whole_once_full(mask: str, filled: bool):
    steps = (0, 5, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS + 7)
    got = last_positions(MASKS[mask], [[at] for at in steps], filled=filled)
    assert got == [[min(at, ROWS - 1)] * USERS for at in steps]


@pytest.mark.parametrize("mask", MASKS)
def test_users_of_a_ring_stand_at_positions_of_their_own(mask: str):
    steps = [[0, 70, 200, 128, 127, 300, 1, 5], [ROWS - 1, ROWS, 4 * ROWS, 2, 3, 1000, 7, 8]]
    assert last_positions(MASKS[mask], steps, filled=False) == [[min(at, ROWS - 1) for at in now] for now in steps]


@pytest.mark.parametrize("mask", OTHERS)
def test_other_rows_are_hidden_by_the_mask(mask: str):
    assert last_positions(OTHERS[mask], [[3], [40]], filled=False) is None
