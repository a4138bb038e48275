"""Steps of decoding over caches in pages, as vLLM has them: written and read where they lie, with PyTorch's values."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

WRITE, READ = "paged_update_cache", "paged_scaled_dot_product_attention_decode"


@dataclass(frozen=True)
class Size:
    """Users, heads of keys, heads of queries for each, rows of a block, and blocks of a user."""

    users: int = 5
    groups: int = 2
    shared: int = 2
    length: int = 32
    blocks: int = 3
    write: str = "slots"
    window: bool = False


class Step(nn.Module):
    """A token a user: its key and value go to a slot, its query sees what stands in the user's blocks up to there."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size, width = size, 32
        self.query, self.key, self.value = (
            nn.Linear(64, heads * width) for heads in (size.groups * size.shared, size.groups, size.groups)
        )
        held = size.users * size.blocks + 1, size.groups, size.length, width
        self.keys, self.values = (nn.Buffer(torch.randn(held)) for _ in range(2))

    def put(self, cache: Tensor, rows: Tensor, slots: Tensor) -> None:
        size = self.size
        match size.write:
            case "slots":
                cache[slots // size.length, :, slots % size.length] = rows
            case "divided":
                block = torch.div(slots, size.length, rounding_mode="floor")
                cache.index_put_(
                    (block, torch.arange(size.groups)[:, None], slots - block * size.length), rows.transpose(0, 1)
                )
            case "transposed":
                cache.transpose(1, 2)[slots // size.length, slots % size.length] = rows
            case "heads":  # other places: rows of heads that stand one after the other
                cache.view(-1, size.groups, rows.shape[-1]).index_copy_(0, slots, rows)
            case _:  # one head
                cache.view(-1, rows.shape[-1]).index_copy_(0, slots, rows[:, 0])

    def forward(self, x: Tensor, at: Tensor, slots: Tensor, table: Tensor) -> Tensor:
        size = self.size
        q, k, v = (p(x).unflatten(-1, (-1, 32)) for p in (self.query, self.key, self.value))
        self.put(self.keys, k, slots)
        self.put(self.values, v, slots)
        keys, values = (
            c[table].transpose(1, 2).reshape(size.users, size.groups, -1, 32) for c in (self.keys, self.values)
        )
        positions = torch.arange(size.length * size.blocks)
        seen = positions <= at[:, None]
        if size.window:
            seen = seen & (positions > at[:, None] - 40)
        mask = seen[:, None, None]
        out = nn.functional.scaled_dot_product_attention(q[:, :, None], keys, values, mask, enable_gqa=True)
        return out.flatten(1)


def drawn(size: Size) -> tuple[Step, tuple[Tensor, ...]]:
    torch.manual_seed(0)
    table = torch.randperm(size.users * size.blocks).view(size.users, -1)
    at = torch.randint(size.length * size.blocks, (size.users,))
    slots = table[torch.arange(size.users), at // size.length] * size.length + at % size.length
    return Step(size).eval().requires_grad_(False), (torch.randn(size.users, 64), at, slots, table)


def compare(program: ttstack.Program, step: Step, inputs: tuple[Tensor, ...]) -> None:
    done = program.run(dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True)))
    want = step(*inputs)
    (got,) = done.outputs.values()
    np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
    assert done.updated.keys() == {"keys", "values"}
    for name, cache in done.updated.items():
        np.testing.assert_allclose(cache, step.get_buffer(name).numpy(), atol=1e-5)


@pytest.mark.parametrize(
    "size",
    [
        Size(),
        Size(write="transposed"),
        Size(users=32, groups=8, shared=4, length=64, blocks=1),
        Size(users=1),
        Size(groups=1, shared=4, write="flat"),
        Size(window=True),
    ],
)
def test_pages_are_written_and_read_where_they_lie(size: Size):
    step, inputs = drawn(size)
    program = ttstack.compile(step, inputs)
    ops = [op.name for op in program.cost().ops]
    assert (ops.count(WRITE), ops.count(READ)) == (2, 1)
    assert {"scatter", "embedding", "scaled_dot_product_attention"}.isdisjoint(ops)
    compare(program, step, inputs)


@pytest.mark.parametrize("users", [37, 65])
def test_more_users_than_a_rectangle_of_cores_are_written_by_several(users: int):
    step, inputs = drawn(Size(users=users, blocks=1))
    program = ttstack.compile(step, inputs)
    ops = [op.name for op in program.cost().ops]
    assert (ops.count(WRITE), ops.count(READ)) == (4, 1)
    compare(program, step, inputs)


@pytest.mark.parametrize("size", [Size(length=16), Size(write="divided"), Size(write="heads")])
def test_what_the_library_has_no_kernel_for_stays_as_it_is(size: Size):
    """Blocks of half a tile, and slots that differ from head to head."""
    step, inputs = drawn(size)
    program = ttstack.compile(step, inputs)
    assert WRITE not in {op.name for op in program.cost().ops}
    compare(program, step, inputs)


@pytest.mark.parametrize(("without", "ops"), [("paged-caches", {READ}), ("decode-attention", {WRITE}), ("all", set())])
def test_each_can_be_left_out(without: str, ops: set[str]):
    step, inputs = drawn(Size())
    program = ttstack.compile(step, inputs, without=without)
    assert {op.name for op in program.cost().ops} & {READ, WRITE} == ops
    compare(program, step, inputs)


def test_a_step_moves_what_it_reads_alone():
    step, inputs = drawn(Size(users=8, groups=8, shared=4, length=64, blocks=16))
    program, apart = (
        ttstack.compile(step, inputs, dtype="bf16", without=w) for w in ((), "paged-caches,decode-attention")
    )
    assert program.cost().total_ns < 0.1 * apart.cost().total_ns
