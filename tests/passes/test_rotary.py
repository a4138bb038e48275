"""Rotary embeddings of neighbours, in the spellings of models: one op each, with PyTorch's values."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

Turn = Callable[[Tensor, Tensor, Tensor], Tensor]


def stacked(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Llama's reference: complex numbers, with a real and an imaginary part."""
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    a, b = pairs[..., 0], pairs[..., 1]
    return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)


def strided(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((cos * a - sin * b, sin * a + cos * b), -1).reshape(x.shape)


def repeated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """GPT-J and Cohere: tables as wide as a row."""
    turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return x * cos.repeat_interleave(2, -1) + turned * sin.repeat_interleave(2, -1)


def first_part(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """ChatGLM and GPT-J: the rest of a row stays as it is."""
    part = x.shape[-1] // 2
    tables = (t[..., : part // 2] for t in (cos, sin))
    return torch.cat((repeated(x[..., :part], *tables), x[..., part:]), -1)


class Rotary(nn.Module):
    """Heads of tokens, turned before or after heads come first; angles are computed, or rows of a table."""

    def __init__(self, turn: Turn, heads: int, width: int, *, heads_first: bool, table: bool) -> None:
        super().__init__()
        self.turn, self.heads, self.width, self.heads_first = turn, heads, width, heads_first
        self.product = nn.Linear(64, heads * width)
        frequencies = 100.0 ** (-torch.arange(width // 2) / (width // 2))
        angles = torch.arange(96)[:, None] * frequencies
        self.frequencies, self.table = nn.Buffer(frequencies), nn.Buffer(torch.stack((angles.cos(), angles.sin()), -1))
        self.is_table = table

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        rows = self.product(x).unflatten(-1, (self.heads, self.width))
        angles = at[..., None].float() * self.frequencies
        cos, sin = self.table[at].unbind(-1) if self.is_table else (angles.cos(), angles.sin())
        if not self.heads_first:
            return self.turn(rows, *(t.unsqueeze(-2) for t in (cos, sin))).transpose(1, 2)
        return self.turn(rows.transpose(1, 2), *(t.unsqueeze(-3) for t in (cos, sin)))


TURNS = (stacked, strided, repeated, first_part)
PROMPT, STEP, EACH = (2, 40, 40), (5, 1, 1), (5, 1, 5)
"""Users, tokens of each, and positions: those of a prompt, of all users of a step, and of each of them."""


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("sizes", [PROMPT, STEP, EACH])
@pytest.mark.parametrize("heads_first", [True, False])
@pytest.mark.parametrize("table", [True, False])
def test_neighbours_are_turned_by_one_op(turn: Turn, sizes: tuple[int, int, int], heads_first: bool, table: bool):
    torch.manual_seed(0)
    users, tokens, places = sizes
    at = torch.randint(96, (places, 1) if sizes is EACH else (1, places))
    model = Rotary(turn, 3, 64, heads_first=heads_first, table=table).eval().requires_grad_(False)
    inputs = torch.randn(users, tokens, 64), at
    program = ttstack.compile(model, inputs)
    ops = [op.name for op in program.cost().ops]
    assert ops.count("rotary_embedding") == 1
    assert {"concat", "neg", "subtract"}.isdisjoint(ops)
    check(program, model, inputs)


@pytest.mark.parametrize(("width", "positions"), [(24, (1, 8)), (64, (2, 40))])
def test_rows_without_a_kernel_are_turned_by_a_product(width: int, positions: tuple[int, int]):
    """A few rows that are not whole tiles, and places that differ from user to user in longer texts."""
    torch.manual_seed(0)
    model = Rotary(repeated, 3, width, heads_first=True, table=False).eval().requires_grad_(False)
    inputs = torch.randn(2, positions[1], 64), torch.randint(96, positions)
    program = ttstack.compile(model, inputs)
    ops = [op.name for op in program.cost().ops]
    assert "rotary_embedding" not in ops
    assert ops.count("matmul") == 1
    check(program, model, inputs)


@pytest.mark.parametrize("heads_first", [True, False])
@pytest.mark.parametrize(("turn", "width"), [(repeated, 24), (stacked, 36), (first_part, 72), (first_part, 40)])
def test_narrow_rows_are_filled_up(turn: Turn, width: int, heads_first: bool):
    torch.manual_seed(0)
    model = Rotary(turn, 3, width, heads_first=heads_first, table=False).eval().requires_grad_(False)
    inputs = torch.randn(2, 40, 64), torch.arange(40)[None]
    program = ttstack.compile(model, inputs)
    ops = [op.name for op in program.cost().ops]
    assert ops.count("rotary_embedding") == 1
    assert {"concat", "matmul"}.isdisjoint(ops)
    check(program, model, inputs)


class NarrowHeads(nn.Module):
    """Attention of heads of 36, whose first 32 elements are turned, as in Moonshine."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(64, 3 * 4 * 36), nn.Linear(4 * 36, 64)
        angles = torch.arange(40)[:, None] * 100.0 ** (-torch.arange(16) / 16)
        self.cos, self.sin = nn.Buffer(angles.cos()), nn.Buffer(angles.sin())

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (4, 36)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        q, k = (torch.cat((repeated(t[..., :32], self.cos, self.sin), t[..., 32:]), -1) for t in (q, k))
        return self.out(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


def test_weights_fill_narrow_heads_that_are_turned():
    torch.manual_seed(0)
    model, inputs = NarrowHeads().eval().requires_grad_(False), (torch.randn(2, 40, 64),)
    program = ttstack.compile(model, inputs)
    ops = [op.name for op in program.cost().ops]
    assert ops.count("rotary_embedding") == 2
    assert {"pad", "slice_static", "concat", "reshape", "permute"}.isdisjoint(ops)
    check(program, model, inputs)


def test_the_pass_can_be_left_out():
    torch.manual_seed(0)
    model = Rotary(stacked, 3, 64, heads_first=True, table=False).eval().requires_grad_(False)
    inputs = torch.randn(2, 40, 64), torch.arange(40)[None]
    program, apart = (ttstack.compile(model, inputs, without=w) for w in ((), "fuse-rotary"))
    assert "rotary_embedding" not in {op.name for op in apart.cost().ops}
    assert program.cost().total_ns < 0.6 * apart.cost().total_ns
    check(apart, model, inputs)


def test_halves_of_many_tokens_are_turned_with_heads_first():
    torch.manual_seed(0)

    def halves(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        first, second = x.chunk(2, -1)
        both = torch.cat((-second, first), -1)
        return x * torch.cat((cos, cos), -1) + both * torch.cat((sin, sin), -1)

    times = []
    for heads_first in (True, False):
        model = Rotary(halves, 3, 64, heads_first=heads_first, table=False).eval().requires_grad_(False)
        inputs = torch.randn(1, 64, 64), torch.arange(64)[None]
        program = ttstack.compile(model, inputs)
        check(program, model, inputs)
        times.append(program.cost().total_ns)
    assert times[1] < 1.4 * times[0]


def test_halves_of_the_first_part_are_turned_apart():
    """Phi turns half of a row; tables go on from it for neighbours alone, whose pairs stay where they are."""
    torch.manual_seed(0)

    def half_of_halves(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        part = x.shape[-1] // 2
        first, second = x[..., :part].chunk(2, -1)
        c, s = (torch.cat((t[..., : part // 2],) * 2, -1) for t in (cos, sin))
        return torch.cat((x[..., :part] * c + torch.cat((-second, first), -1) * s, x[..., part:]), -1)

    model = Rotary(half_of_halves, 3, 64, heads_first=True, table=False).eval().requires_grad_(False)
    inputs = torch.randn(2, 40, 64), torch.arange(40)[None]
    program = ttstack.compile(model, inputs)
    assert [op.name for op in program.cost().ops].count("rotary_embedding") == 1
    check(program, model, inputs)


def check(program: ttstack.Program, model: nn.Module, inputs: tuple[Tensor, ...]) -> None:
    values = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    (got,) = program.run(values).outputs.values()
    want = model(*inputs)
    np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
