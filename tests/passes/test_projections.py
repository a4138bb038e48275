"""Queries, keys and values in all their spellings are one product, and one op splits them into heads."""

from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.export import ExportedProgram

import ttstack
from ttstack.options.choices import Choices
from ttstack.passes.pipelines import optional_passes

BATCH, LENGTH, HEADS, WIDTH = 2, 7, 4, 32
MODEL = HEADS * WIDTH
F = nn.functional
ONCE = [
    "linear",
    "split_query_key_value_and_split_heads",
    "scaled_dot_product_attention",
    "concatenate_heads",
    "linear",
]


class Projected(nn.Module):
    """Attention with one projection for queries, keys and values, or one for each."""

    def __init__(self, *widths: int, bias: bool = True, head: int = WIDTH) -> None:
        super().__init__()
        first, *others = widths
        self.head, self.model = head, first if others else first // 3
        self.inside = nn.ModuleList(nn.Linear(self.model, width, bias=bias) for width in widths)
        self.outside = nn.Linear(self.model, self.model, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        if k.shape[1] != q.shape[1]:
            k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
        attended = F.scaled_dot_product_attention(q, k, v)
        return self.outside(attended.transpose(1, 2).reshape(x.shape))

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        raise NotImplementedError


class Apart(Projected):
    """As transformers has it."""

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        return tuple(of(x).view(*x.shape[:2], -1, self.head).transpose(1, 2) for of in self.inside)


class Flat(Projected):
    """Rows of all sequences in one dimension."""

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        flat = x.reshape(-1, self.model)
        return tuple(of(flat).view(*x.shape[:2], -1, self.head).transpose(1, 2) for of in self.inside)


class Views(Projected):
    """Keys and values of sequences, then queries of rows of all sequences."""

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        k, v = self.inside[1](x), self.inside[2](x)
        projected = self.inside[0](x.reshape(-1, self.model)), k, v
        return tuple(t.view(*x.shape[:2], -1, self.head).transpose(1, 2) for t in projected)


class Chunks(Projected):
    """As GPT-2 has it."""

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        parts = self.inside[0](x).split(self.model, -1)
        return tuple(part.view(*x.shape[:2], -1, self.head).transpose(1, 2) for part in parts)


class Stacked(Projected):
    """As timm has it."""

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.inside[0](x).reshape(*x.shape[:2], 3, -1, self.head).permute(2, 0, 3, 1, 4).unbind(0)


class Interleaved(Projected):
    """As GPT-NeoX has it: queries, keys and values of each head side by side."""

    def heads(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.inside[0](x).view(*x.shape[:2], -1, 3 * self.head).transpose(1, 2).chunk(3, -1)


class Torch(nn.Module):
    """PyTorch's own."""

    def __init__(self, *, batch_first: bool = True) -> None:
        super().__init__()
        self.inside = nn.MultiheadAttention(MODEL, HEADS, batch_first=batch_first)

    def forward(self, x: Tensor) -> Tensor:
        return self.inside(x, x, x, need_weights=False)[0]


class Weighed(Apart):
    """As in eager attention, whose weights are read: keys are read transposed, scores are a product of their own."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        q, k, v = self.heads(x)
        weights = torch.softmax(q @ k.transpose(-1, -2) * self.head**-0.5, -1)
        return self.outside((weights @ v).transpose(1, 2).reshape(x.shape)), weights


class WeighedTorch(Torch):
    """PyTorch's own with its weights."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.inside(x, x, x, need_weights=True, average_attn_weights=False)


class NoKeyBias(Apart):
    """As Whisper has it."""

    def __init__(self) -> None:
        super().__init__(MODEL, MODEL, MODEL)
        self.inside[1] = nn.Linear(MODEL, MODEL, bias=False)


SPELLED: dict[str, Callable[[], nn.Module]] = {
    "apart": lambda: Apart(MODEL, MODEL, MODEL),
    "no bias": lambda: Apart(MODEL, MODEL, MODEL, bias=False),
    "no bias of keys": NoKeyBias,
    "grouped": lambda: Apart(MODEL, MODEL // 2, MODEL // 2),
    "flat": lambda: Flat(MODEL, MODEL, MODEL),
    "views": lambda: Views(MODEL, MODEL, MODEL),
    "chunks": lambda: Chunks(3 * MODEL),
    "stacked": lambda: Stacked(3 * MODEL),
    "interleaved": lambda: Interleaved(3 * MODEL),
    "ragged heads": lambda: Apart(160, 160, 160, head=40),
    "ragged heads, stacked": lambda: Stacked(480, head=40),
    "torch": Torch,
    "length first": lambda: Torch(batch_first=False),
}


WEIGHED: dict[str, Callable[[], nn.Module]] = {
    "apart": lambda: Weighed(MODEL, MODEL, MODEL),
    "no bias": lambda: Weighed(MODEL, MODEL, MODEL, bias=False),
    "torch": WeighedTorch,
}


def run(model: nn.Module | ExportedProgram, x: Tensor, **options: Unpack[Choices]) -> tuple[list[str], Tensor]:
    source = (model,) if isinstance(model, ExportedProgram) else (model.eval(), (x,))
    program = ttstack.compile(*source, **options)
    (given,) = program.inputs()
    (found,) = program.run({given: x.numpy()}).outputs.values()
    return [op.name for op in program.cost().ops], torch.from_numpy(found)


@pytest.mark.parametrize("name", SPELLED)
def test_one_product_and_one_op_for_all_heads(name: str):
    torch.manual_seed(0)
    model = SPELLED[name]()
    x = torch.randn(BATCH, LENGTH, getattr(model, "model", MODEL))
    ops, found = run(model, x)
    with torch.no_grad():
        torch.testing.assert_close(found, model(x), rtol=1e-4, atol=1e-5)
    around = ["permute"] if name == "length first" else []
    assert [op.replace("matmul", "linear") for op in ops if op != "to_layout"] == [*around, *ONCE, *around]


@pytest.mark.parametrize("name", WEIGHED)
def test_keys_are_split_transposed_where_weights_are_read(name: str):
    torch.manual_seed(0)
    model = WEIGHED[name]().eval()
    x = torch.randn(BATCH, LENGTH, getattr(model, "model", MODEL))
    program = ttstack.compile(model, (x,))
    (given,) = program.inputs()
    with torch.no_grad():
        wanted = model(x)
    for found, of in zip(program.run({given: x.numpy()}).outputs.values(), wanted, strict=True):
        torch.testing.assert_close(torch.from_numpy(found), of, rtol=1e-4, atol=1e-5)
    ops = [op.name.replace("matmul", "linear") for op in program.cost().ops]
    assert ops[:2] == ONCE[:2]
    assert ops.count("linear") == 4
    assert not {"permute", "split_heads"} & {*ops}


@pytest.mark.parametrize("name", ["grouped", "torch", "ragged heads, stacked"])
def test_values_do_not_depend_on_what_is_left_out(name: str, tmp_path: Path):
    """A rewrite that changes nothing changes nothing where it is left out."""
    torch.manual_seed(0)
    model = SPELLED[name]()
    x = torch.randn(BATCH, LENGTH, getattr(model, "model", MODEL))
    with torch.no_grad():
        wanted = model.eval()(x)
        exported = torch.export.export(model, (x,))
    ttstack.compile(exported, placement="dram", dump_ir=tmp_path)
    changing = [rewrite for rewrite in optional_passes() if any(tmp_path.glob(f"*{rewrite}*"))]
    assert "merge-qkv-matmuls" in changing
    for without in (*changing, "all", ("fuse", "assign-dim-orders")):
        ops, found = run(exported, x, placement="dram", without=without)
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
        assert without not in ("merge-qkv-matmuls", "all") or "split_query_key_value_and_split_heads" not in ops


@given(
    kind=st.sampled_from([Apart, Flat, Chunks, Stacked, Interleaved]),
    shape=st.tuples(st.integers(1, 3), st.sampled_from([1, 7, 32, 45])),
    heads=st.integers(1, 4),
    head=st.sampled_from([8, 32, 40, 72, 80]),
    bias=st.booleans(),
    without=st.sets(st.sampled_from(optional_passes())),
)
def test_values_are_those_of_pytorch_whatever_is_left_out(
    kind: type[Projected],
    shape: tuple[int, int],
    heads: int,
    head: int,
    bias: bool,
    without: set[str],
):
    torch.manual_seed(0)
    width = heads * head
    model = kind(*([width] * 3 if kind in (Apart, Flat) else [3 * width]), bias=bias, head=head).eval()
    x = torch.randn(*shape, width)
    with torch.no_grad():
        wanted = model(x)
        exported = torch.export.export(model, (x,))
    for left_out in ((), tuple(without)):
        _, found = run(exported, x, placement="dram", without=left_out)
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
