"""Control flow of PyTorch: loops, scans, maps, branches."""

import pytest
import torch
from torch import Tensor, nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

import ttstack
from ttstack.compiled_program import Program
from ttstack.program.written import written_tensors
from ttstack.ttnn_python import emit_python


class Steady(nn.Module):
    """Repeats a layer until its value changes by less than 0.001."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(64, 64)

    def forward(self, x: Tensor):
        def goes_on(i: Tensor, a: Tensor, change: Tensor):
            return change > 1e-3

        def step(i: Tensor, a: Tensor, change: Tensor):
            new = torch.tanh(self.layer(a)) * 0.5
            return i + 1, new, (new - a).abs().max()

        return while_loop(goes_on, step, (torch.zeros((), dtype=torch.int64), x, torch.ones(())))


class Recurrent(nn.Module):
    """A recurrent layer as a scan."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: Tensor, h: Tensor):
        def step(state: Tensor, row: Tensor):
            new = torch.tanh(self.layer(state) + row)
            return new, new * 2

        return scan(step, h, x, dim=0)


class Linear(nn.Module):
    """A linear recurrence in logarithmic depth."""

    def forward(self, a: Tensor, b: Tensor):
        def combine(p, q):
            return p[0] * q[0], q[0] * p[1] + q[1]

        return associative_scan(combine, (a, b), dim=0, combine_mode="generic")


class Rows(nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        def product(row: Tensor, y: Tensor):
            return torch.sin(row) @ y

        return map_rows(product, x, y)  # pyright: ignore[reportArgumentType]


class Branch(nn.Module):
    def forward(self, x: Tensor):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))


class Mapped(nn.Module):
    def forward(self, x: Tensor, y: Tensor):
        return torch.vmap(lambda a, b: torch.sin(a) @ b)(x, y)


class Decode(nn.Module):
    """Tokens one after the other, with caches of keys and values, as one program."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(96, 64)
        self.projections = nn.ModuleList(nn.Linear(64, 64) for _ in range(3))
        self.logits = nn.Linear(64, 96)

    def forward(self, token: Tensor, tokens: Tensor, keys: Tensor, values: Tensor):
        count = tokens.shape[1]

        def goes_on(i: Tensor, *_: Tensor):
            return i < count

        def step(i: Tensor, token: Tensor, tokens: Tensor, keys: Tensor, values: Tensor):
            x = self.table(token)
            query, key, value = (p(x).view(1, 1, 2, 32).transpose(1, 2) for p in self.projections)
            at = i.view(1)
            keys, values = keys.index_copy(2, at, key), values.index_copy(2, at, value)
            seen = (torch.arange(count) <= i)[None, None, None]
            found = nn.functional.scaled_dot_product_attention(query, keys, values, attn_mask=seen)
            following = self.logits(found.transpose(1, 2).reshape(1, 1, 64)).argmax(-1)
            return i + 1, following, tokens.index_copy(1, at, following), keys, values

        return while_loop(goes_on, step, (torch.zeros((), dtype=torch.int64), token, tokens, keys, values))


def compared(model: nn.Module, *inputs: Tensor) -> Program:
    """The program of a model, whose values are PyTorch's."""
    program = ttstack.compile(model.eval(), inputs)
    wanted = model(*inputs)
    found = program.run(*(x.numpy() for x in inputs)).outputs.values()
    for value, reference in zip(found, wanted if isinstance(wanted, tuple | list) else [wanted], strict=True):
        torch.testing.assert_close(torch.from_numpy(value.copy()), reference.detach(), rtol=1e-4, atol=1e-5)
    return program


def names(program: Program) -> list[str]:
    return [op.name for op in program.cost().ops]


@pytest.fixture(autouse=True)
def _seeded():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def test_a_loop_with_a_condition():
    program = compared(Steady(), torch.randn(32, 64))
    assert names(program) == ["while"]
    assert {"layer.weight", "layer.bias"} <= set(program.binary.functions[0].loops[1].parameters)


@pytest.mark.parametrize("model", [Steady(), Branch()], ids=["loop", "branch"])
def test_a_saved_program(model: nn.Module, tmp_path):
    x = torch.randn(32, 64)
    torch.export.save(torch.export.export(model.eval(), (x,)), tmp_path / "model.pt2")
    found = ttstack.compile(tmp_path / "model.pt2").run(x.numpy()).outputs.values()
    wanted = model(x)
    for value, reference in zip(found, wanted if isinstance(wanted, tuple) else [wanted], strict=True):
        torch.testing.assert_close(torch.from_numpy(value.copy()), reference.detach(), rtol=1e-4, atol=1e-5)


def test_a_long_scan_is_a_loop():
    program = compared(Recurrent(), torch.randn(700, 4, 8), torch.randn(4, 8))
    assert names(program) == ["while"]


def test_a_short_scan_is_unrolled():
    assert "while" not in names(compared(Recurrent(), torch.randn(5, 4, 8), torch.randn(4, 8)))


def test_a_decode_loop_updates_its_caches_in_place():
    cache = torch.zeros(1, 2, 32, 32)
    program = compared(Decode(), torch.tensor([[3]]), torch.zeros(1, 32, dtype=torch.int64), cache, cache.clone())
    (main,) = program.binary.functions
    updates = [op for op in main.loops[1].operations if op.name == "paged_update_cache"]
    assert len(updates) == 2
    assert "# the body writes to it" in emit_python(program.binary, main, "decode")


class Marked(nn.Module):
    """Rows of a table that stays the same, each with one element replaced."""

    def forward(self, start: Tensor, x: Tensor, table: Tensor):
        def step(state: Tensor, row: Tensor):
            return state + row.sum(), (row * 2, table.index_put((torch.arange(1, 2),), row[:1]))

        state, (doubled, marked) = scan(step, start, x, dim=0)
        return state, doubled, marked


def test_only_carried_buffers_are_written_to():
    program = compared(Marked(), torch.zeros(()), torch.randn(1200, 4), torch.randn(4))
    (main,) = program.binary.functions
    assert not written_tensors(main.loops[0]) & {t.id for t in main.loops[0].arguments.values()}


def test_an_associative_scan():
    compared(Linear(), torch.rand(9, 3), torch.rand(9, 3))


@pytest.mark.parametrize("count", [3, 1500])
def test_a_map_over_rows(count: int):
    program = compared(Rows(), torch.randn(count, 4, 5), torch.randn(5, 6))
    assert ("while" in names(program)) == (count > 1000)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_branch_by_value(sign: int):
    compared(Branch(), torch.rand(4) * sign)


def test_vmap_is_traced_away():
    compared(Mapped(), torch.randn(3, 4, 5), torch.randn(3, 5, 6))
