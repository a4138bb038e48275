"""One step of decoding: as the model says it, and as the library's ops for single tokens do it, with the same values."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

REWRITES = (
    "decode-attention",
    "fuse-rotary",
    "collapse-batch-into-rows",
    "merge-qkv-matmuls",
    "reshape-by-head-ops",
)
OPS = {
    "decode-attention": {"scaled_dot_product_attention_decode", "paged_update_cache"},
    "fuse-rotary": {"rotary_embedding"},
    "merge-qkv-matmuls": {"split_query_key_value_decode"},
    "reshape-by-head-ops": {"concatenate_heads_decode"},
}


@dataclass(frozen=True)
class Size:
    """How large a step is, and how its mask is spelled."""

    users: int
    groups: int
    shared: int
    width: int
    length: int
    mask: str


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


class Step(nn.Module):
    """A token a user: keys and values go into caches at a place that a tensor says, queries attend to all up to it."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size, inner = size, size.groups * size.width
        self.query = nn.Linear(64, inner * size.shared, bias=False)
        self.key, self.value = (nn.Linear(64, inner, bias=False) for _ in range(2))
        self.last = nn.Sequential(nn.Linear(inner * size.shared, 64), nn.SiLU(), nn.LayerNorm(64))
        held = size.users, size.groups, size.length, size.width
        self.keys, self.values = (nn.Buffer(torch.randn(held)) for _ in range(2))

    def seen(self, at: Tensor) -> Tensor:
        keys = torch.arange(self.size.length)
        if self.size.mask == "window":
            return ((keys <= at) & (keys > at - 8)).expand(self.size.users, 1, 1, -1)
        if self.size.mask == "added":
            return torch.where(keys[None, None] > at[:, None, None], torch.finfo(torch.float32).min, 0.0)
        return (keys[None, None, None] < at[:, None, None, None] + 1).expand(self.size.users, 1, 1, -1)

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        size = self.size
        angles = at[:, None].float() * torch.arange(1, size.width + 1) / size.width
        cos, sin = (f(angles)[None, None] for f in (torch.cos, torch.sin))
        q, k, v = (p(x).view(size.users, 1, -1, size.width).transpose(1, 2) for p in (self.query, self.key, self.value))
        self.keys.index_copy_(2, at, turned(k, cos, sin))
        self.values.index_copy_(2, at, v)
        keys, values = (
            c[:, :, None].expand(-1, -1, size.shared, -1, -1).reshape(size.users, -1, size.length, size.width)
            for c in (self.keys, self.values)
        )
        out = nn.functional.scaled_dot_product_attention(turned(q, cos, sin), keys, values, self.seen(at))
        return self.last(out.transpose(1, 2).reshape(size.users, 1, -1)) + x


LARGE = Size(users=32, groups=2, shared=4, width=64, length=96, mask="compared")
FILLED = Size(users=32, groups=1, shared=71, width=64, length=96, mask="compared")
"""Heads that are not a power of two of tiles."""
CASES = [
    (LARGE, ()),
    (LARGE, "all"),
    (Size(users=5, groups=2, shared=1, width=32, length=32, mask="window"), ()),
    (Size(users=2, groups=1, shared=4, width=64, length=64, mask="added"), ()),
    (FILLED, ()),
    *((Size(users=3, groups=2, shared=2, width=32, length=32, mask="compared"), rewrite) for rewrite in REWRITES),
]


@pytest.mark.parametrize(("size", "without"), CASES)
def test_a_step_gives_the_same(size: Size, without: str | tuple[()]):
    torch.manual_seed(0)
    step = Step(size).eval().requires_grad_(False)
    x, at = torch.randn(size.users, 1, 64), torch.tensor([size.length // 2])
    program = ttstack.compile(step, (x, at), without=without)
    ops = [op.name for op in program.cost().ops]
    changed = [op.results[0].type.dtype for op in program.cost().ops if op.name == "to_layout"]
    copies = sum(not dtype.is_float for dtype in changed)
    names = set(ops)
    taken = {rewrite for rewrite, ops in OPS.items() if ops <= names}
    assert taken.isdisjoint(REWRITES if without == "all" else (without,))
    assert size is not LARGE or without or taken == OPS.keys()
    assert size is not FILLED or "decode-attention" in taken
    assert size is not LARGE or without or copies == 1, "one copy of positions"
    done = program.run(dict(zip(program.inputs(), (x.numpy(), at.numpy()), strict=True)))
    want = step(x, at)
    (got,) = done.outputs.values()
    np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
    for name, cache in done.updated.items():
        np.testing.assert_allclose(cache, step.get_buffer(name).numpy(), atol=1e-5)


class Scores(nn.Module):
    """Scores of all tokens, of which the last one's are given."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.head = nn.RMSNorm(256), nn.Linear(256, 2048)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.head(self.norm(x) + x))[:, -1]


@pytest.mark.parametrize("without", [(), "hoist-slices"])
def test_only_scores_that_are_given_are_computed(without: str | tuple[()]):
    torch.manual_seed(0)
    model, x = Scores().eval().requires_grad_(False), torch.randn(2, 96, 256)
    program = ttstack.compile(model, (x,), without=without)
    (product,) = (op for op in program.function().operations if op.name == "linear")
    rows = program.function().tensors[product.results[0]].type.size // 2048
    assert rows == (2 if without == () else 2 * 96)
    (got,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
    np.testing.assert_allclose(got, model(x).numpy(), atol=1e-5)
