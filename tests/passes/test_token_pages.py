"""Caches in pages of tokens, [blocks, rows, heads, depth] as vLLM has them: held by heads, given and got as they are."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack.diagnostics import InputError

WRITE, READ = "paged_update_cache", "paged_scaled_dot_product_attention_decode"
COPIES = {"scatter", "embedding", "concat", "assign", "scaled_dot_product_attention"}


@dataclass(frozen=True)
class Size:
    """Users, heads of keys, heads of queries for each, rows of a block, blocks of a user, and spellings."""

    users: int = 5
    groups: int = 2
    shared: int = 2
    length: int = 32
    blocks: int = 3
    write: str = "view"
    read: str = "table"
    joint: bool = False


class Step(nn.Module):
    """A token a user: its key and value go to a slot, its query sees what stands in the user's blocks up to there."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size, width = size, 32
        self.query, self.key, self.value = (
            nn.Linear(64, heads * width) for heads in (size.groups * size.shared, size.groups, size.groups)
        )
        held = size.users * size.blocks + 1, size.length, size.groups, width
        if size.joint:
            self.cache = nn.Buffer(torch.randn(2, *held))
        else:
            self.keys, self.values = (nn.Buffer(torch.randn(held)) for _ in range(2))

    def put(self, cache: Tensor, rows: Tensor, slots: Tensor) -> None:
        length, tokens = self.size.length, cache.view(-1, *cache.shape[2:])
        match self.size.write:
            case "view":
                tokens[slots] = rows
            case "index_put":
                tokens.index_put_((slots,), rows)
            case "index_copy":
                tokens.index_copy_(0, slots, rows)
            case "flat":
                tokens.flatten(1)[slots] = rows.flatten(1)
            case "scatter":
                tokens.scatter_(0, slots[:, None, None].expand(rows.shape), rows)
            case "squeezed":
                cache.squeeze(2).view(-1, 32)[slots] = rows[:, 0]
            case "skipped":  # empty slots are written to the row after all blocks of users
                tokens[torch.where(slots < 0, len(tokens) - 1, slots)] = rows
            case _:
                cache[slots // length, slots % length] = rows

    def take(self, cache: Tensor, table: Tensor) -> Tensor:
        users, length = self.size.users, self.size.length
        match self.size.read:
            case "table":
                return cache[table].reshape(users, -1, *cache.shape[2:])
            case "flatten":
                return cache[table].flatten(1, 2)
            case "select":
                return cache.index_select(0, table.flatten()).view(users, -1, *cache.shape[2:])
            case "slots":
                slots = (table[:, :, None] * length + torch.arange(length)).flatten(1)
                return cache.flatten(0, 1)[slots]
            case _:  # a user's own rows without a table
                return cache[1:].view(users, -1, *cache.shape[2:])

    def forward(self, x: Tensor, at: Tensor, slots: Tensor, table: Tensor) -> Tensor:
        keys, values = self.cache.unbind(0) if self.size.joint else (self.keys, self.values)
        return self.step(x, keys, values, at, slots, table)

    def step(self, x: Tensor, keys: Tensor, values: Tensor, at: Tensor, slots: Tensor, table: Tensor) -> Tensor:
        q, k, v = (p(x).unflatten(-1, (-1, 32)) for p in (self.query, self.key, self.value))
        self.put(keys, k, slots)
        self.put(values, v, slots)
        seen = torch.arange(self.size.length * self.size.blocks) <= at[:, None]
        keys, values = (self.take(c, table).transpose(1, 2) for c in (keys, values))
        out = nn.functional.scaled_dot_product_attention(
            q[:, :, None], keys, values, seen[:, None, None], enable_gqa=True
        )
        return out.flatten(1)


class Given(nn.Module):
    """The same step over caches that it is given."""

    def __init__(self, step: Step) -> None:
        super().__init__()
        self.of = step

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, at: Tensor, slots: Tensor, table: Tensor) -> Tensor:
        return self.of.step(x, keys, values, at, slots, table)


def drawn(size: Size) -> tuple[Step, tuple[Tensor, ...]]:
    torch.manual_seed(0)
    table = torch.randperm(size.users * size.blocks).view(size.users, -1)
    at = torch.randint(size.length * size.blocks, (size.users,))
    slots = table[torch.arange(size.users), at // size.length] * size.length + at % size.length
    return Step(size).eval().requires_grad_(False), (torch.randn(size.users, 64), at, slots, table)


def compare(program: ttstack.Program, step: Step, inputs: tuple[Tensor, ...]) -> None:
    """Two steps in a row, by values and by what they leave."""
    arrays = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    done = program.run(arrays)
    for _ in range(2):
        want = step(*inputs)
        (got,) = done.outputs.values()
        np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
        assert done.updated.keys() == {name for name, _ in step.named_buffers()}
        for name, cache in done.updated.items():
            np.testing.assert_allclose(cache, step.get_buffer(name).numpy(), atol=1e-5)
        arrays["x"] = arrays["x"][::-1].copy()
        inputs = (torch.from_numpy(arrays["x"]), *inputs[1:])
        done = program.run(arrays | dict(done.updated))


@pytest.mark.parametrize(
    "size",
    [
        *(Size(write=w) for w in ("view", "index_put", "index_copy", "flat", "scatter", "block and row", "skipped")),
        *(Size(read=r) for r in ("flatten", "select", "slots")),
        Size(users=32, groups=8, shared=4, length=64, blocks=1),
        Size(users=1),
        Size(groups=1, shared=4),
        Size(groups=1, shared=4, read="slots"),
        Size(groups=3, shared=2),
        Size(joint=True),
        Size(joint=True, groups=3, read="slots", write="block and row"),
        Size(joint=True, groups=1),
    ],
    ids=str,
)
def test_pages_of_tokens_are_written_and_read_where_they_lie(size: Size):
    step, inputs = drawn(size)
    program = ttstack.compile(step, inputs)
    ops = [op.name for op in program.cost().ops]
    assert (ops.count(WRITE), ops.count(READ)) == (2, 1)
    assert COPIES.isdisjoint(ops)
    compare(program, step, inputs)


@pytest.mark.parametrize("size", [Size(length=16), Size(read="other"), Size(length=48)], ids=str)
def test_what_has_no_op_keeps_its_order(size: Size):
    """Blocks that are not whole tiles, and keys that no table lists."""
    step, inputs = drawn(size)
    program = ttstack.compile(step, inputs)
    assert WRITE not in {op.name for op in program.cost().ops}
    assert all(t.held is None for t in program.function().parameters.values())
    compare(program, step, inputs)


@pytest.mark.parametrize("without", ["paged-caches", "split-state-buffers", "decode-attention", "all"])
def test_each_can_be_left_out(without: str):
    step, inputs = drawn(Size(joint=True))
    compare(ttstack.compile(step, inputs, without=without), step, inputs)


def test_programs_in_files_hold_the_same(tmp_path: Path):
    step, inputs = drawn(Size(joint=True))
    ttstack.compile(step, inputs).save(tmp_path / "step.ttb")
    program = ttstack.load(tmp_path / "step.ttb")
    held = {name: t.held for name, t in program.function().parameters.items() if t.held}
    assert {name: (h.weight, h.part, h.order) for name, h in held.items() if h} == {
        f"cache.{i}": ("cache", i, (0, 2, 1, 3)) for i in range(2)
    }
    compare(program, step, inputs)


def test_the_processor_holds_the_same():
    step, inputs = drawn(Size(joint=True, users=2))
    program = ttstack.compile(step, inputs)
    arrays = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    want, got = program.run(arrays), program.run(arrays, engine="cpu")
    np.testing.assert_allclose(got.updated["cache"], want.updated["cache"], atol=1e-5)


def test_a_cache_of_another_shape_is_refused_by_its_own():
    step, inputs = drawn(Size(joint=True))
    program = ttstack.compile(step, inputs)
    arrays = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    with pytest.raises(InputError) as found:
        program.run(arrays | {"cache": np.zeros((2, 16, 2, 32, 32), np.float32)})
    assert found.value.diagnostic.notes == ("'cache' has shape [2, 16, 2, 32, 32], not [2, 16, 32, 2, 32]",)


def test_empty_slots_count_from_the_end_as_in_pytorch():
    """vLLM's own kernel skips them; a program in PyTorch writes to the last row, so the last block is nobody's."""
    step, (x, at, slots, table) = drawn(Size())
    slots[1] = -1
    compare(ttstack.compile(step, (x, at, slots, table)), step, (x, at, slots, table))


def test_a_user_of_length_0_sees_nothing():
    step, (x, at, slots, table) = drawn(Size())
    at[2], slots[2] = -1, -1
    compare(ttstack.compile(step, (x, at, slots, table)), step, (x, at, slots, table))


def test_blocks_past_the_length_may_be_anything():
    step, (x, at, slots, table) = drawn(Size())
    at[:] = at % 32
    table[:, 1:] = -1
    slots = table[:, 0] * 32 + at
    compare(ttstack.compile(step, (x, at, slots, table)), step, (x, at, slots, table))


def test_a_step_moves_what_it_reads_alone():
    step, inputs = drawn(Size(users=8, groups=8, shared=4, length=32, blocks=16, joint=True))
    program, apart = (ttstack.compile(step, inputs, dtype="bf16", without=w) for w in ((), "all"))
    assert program.cost().total_ns < 0.05 * apart.cost().total_ns


def test_caches_that_are_inputs_keep_their_order_and_are_permuted_where_that_pays():
    size = Size(users=8, groups=8, shared=4, blocks=16)
    step, (x, *places) = drawn(size)
    caches = [cache.clone() for cache in (step.keys, step.values)]
    model = Given(step)
    program = ttstack.compile(model, (x, *caches, *places))
    ops = [op.name for op in program.cost().ops]
    assert (ops.count(WRITE), ops.count(READ)) == (2, 1)
    assert {"scatter", "embedding"}.isdisjoint(ops)
    assert program.inputs()["keys"].shape == caches[0].shape
    done = program.run(dict(zip(program.inputs(), (t.numpy().copy() for t in (x, *caches, *places)), strict=True)))
    want = model(x, *caches, *places)
    (got,) = done.outputs.values()
    np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
    for name, cache in zip(("keys", "values"), caches, strict=True):
        np.testing.assert_allclose(done.updated[name], cache.numpy(), atol=1e-5)


def test_one_head_without_its_dimension():
    step, inputs = drawn(Size(groups=1, write="squeezed"))
    compare(ttstack.compile(step, inputs), step, inputs)


def test_a_compilation_that_stopped_goes_on_with_what_is_held(tmp_path: Path):
    step, inputs = drawn(Size(joint=True))
    part = ttstack.compile_to("dispatched", step, inputs)
    part.save(tmp_path / "step.mlir")
    compare(ttstack.compile_from(tmp_path / "step.mlir"), step, inputs)
