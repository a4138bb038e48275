"""Masks of attention as JAX and ONNX write them: spelled out or not, hidden scores are not visited."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack.report.model import OpReport

EXPORTS = Path(__file__).parent / "jax_exports"
LENGTH = 64
Q, K = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)[None, :]
WIDE = torch.arange(1024)[:, None]
SEEN = {"documents": Q // 32 == K // 32, "bias": K <= Q, "window": (K <= Q) & (K > Q - 12)}


def _heads() -> tuple[Tensor, Tensor, Tensor]:
    rng = torch.Generator().manual_seed(0)
    return tuple(torch.randn(1, 2, LENGTH, 16, generator=rng) for _ in range(3))  # pyright: ignore[reportReturnType]


def _check(program: ttstack.Program, seen: Tensor) -> OpReport:
    """Values are those of dense attention; the tiles visited are those that anything is seen of."""
    heads = _heads()
    (found,) = program.run({n: x.numpy() for n, x in zip(program.inputs(), heads, strict=True)}).outputs.values()
    wanted = nn.functional.scaled_dot_product_attention(*heads, attn_mask=seen)
    np.testing.assert_allclose(found, wanted.numpy(), atol=2e-6)
    (op,) = (op for op in program.cost().ops if "attention" in op.name)
    assert (op.visited_share or 1) == pytest.approx(float(seen.reshape(2, 32, 2, 32).any(3).any(1).float().mean()))
    return op


@pytest.mark.parametrize("name", ["spelled_documents", "spelled_bias", "library_documents", "library_window"])
def test_masks_of_jax(name: str):
    _, kind = name.split("_")
    op = _check(ttstack.compile(EXPORTS / f"{name}.mlir"), SEEN[kind])
    assert kind != "window" or op.attributes["sliding_window_size"] == 12
    assert op.name == ("block_sparse_attention" if kind == "documents" else "scaled_dot_product_attention")


def test_attention_of_jax_without_a_mask():
    op = _check(ttstack.compile(EXPORTS / "library_all.mlir"), torch.ones(LENGTH, LENGTH, dtype=torch.bool))
    assert op.name == "scaled_dot_product_attention"


def _grouped(dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    rng = torch.Generator().manual_seed(0)
    return tuple(torch.randn(2, h, LENGTH, 16, generator=rng).to(dtype) for h in (4, 2, 2))  # pyright: ignore


def _run(program: ttstack.Program, heads: Sequence[Tensor]) -> Tensor:
    given = {n: x.float().numpy() for n, x in zip(program.inputs(), heads, strict=True)}
    (found,) = program.run(given).outputs.values()
    return torch.from_numpy(found.astype(np.float32))


def _random(shapes: Iterable[Sequence[int]], dtype: torch.dtype) -> list[Tensor]:
    rng = torch.Generator().manual_seed(0)
    return [torch.randn(*shape, generator=rng).to(dtype) for shape in shapes]


def _dense(heads: Sequence[Tensor], mask: Tensor) -> Tensor:
    q, k, v = (x.float() for x in heads)
    return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)


@pytest.mark.parametrize("name", ["library_causal_bf16", "spelled_bf16"])
def test_attention_of_jax_in_bf16_is_the_library_s(name: str):
    q, k, v = _grouped(torch.bfloat16)
    heads = (q, *(x.repeat_interleave(2, 1) for x in (k, v)))
    program = ttstack.compile(EXPORTS / f"{name}.mlir")
    (op,) = (op for op in program.cost().ops if "attention" in op.name)
    assert (op.name, len(op.operands)) == ("scaled_dot_product_attention", 3)
    assert not {"matmul", "softmax", "div"} & {o.name for o in program.cost().ops}
    torch.testing.assert_close(_run(program, heads), _dense(heads, K <= Q), atol=2**-7, rtol=2**-7)


GROUPED = {
    "library_grouped": (torch.bfloat16, SEEN["window"], "scaled_dot_product_attention"),
    "library_grouped_documents": (torch.float32, WIDE.mT // 512 == WIDE // 512, "block_sparse_attention"),
    "spelled_grouped": (torch.float32, K <= Q, "scaled_dot_product_attention"),
}


@pytest.mark.parametrize("name", GROUPED)
def test_heads_of_keys_of_jax_serve_groups_of_queries(name: str):
    """Keys are read once, and tiles that are hidden from every query are not visited."""
    dtype, seen, mnemonic = GROUPED[name]
    program, tiles = ttstack.compile(EXPORTS / f"{name}.mlir"), len(seen) // 32
    heads = _random([t.shape for t in program.inputs().values()], dtype)
    (op,) = (op for op in program.cost().ops if "attention" in op.name)
    visited = seen.reshape(tiles, 32, tiles, 32).any(3).any(1).float().mean()
    assert (op.name, op.visited_share) == (mnemonic, pytest.approx(float(visited)))
    assert not {"matmul", "softmax", "where", "repeat_interleave", "broadcast"} & {o.name for o in program.cost().ops}
    assert "sliding_window_size" in op.attributes or name != "library_grouped"
    wanted = _dense(heads, seen)
    atol, rtol = (2**-6, 2**-6) if dtype is torch.bfloat16 else (2e-6, 1e-5)
    torch.testing.assert_close(_run(program, heads), wanted, atol=atol, rtol=rtol)


def test_a_bias_of_grouped_heads_of_jax():
    program = ttstack.compile(EXPORTS / "library_grouped_bias.mlir")
    *heads, bias = _random([t.shape for t in program.inputs().values()], torch.bfloat16)
    assert [op.name for op in program.cost().ops].count("scaled_dot_product_attention") == 1
    assert "matmul" not in {op.name for op in program.cost().ops}
    torch.testing.assert_close(_run(program, (*heads, bias)), _dense(heads, bias.float()), atol=2**-6, rtol=2**-6)


def test_lengths_of_keys_of_jax():
    heads = _grouped(torch.float32)
    seen = (K <= Q) & (torch.tensor([20, 50])[:, None, None, None] > K)
    program = ttstack.compile(EXPORTS / "library_lengths.mlir")
    assert "scaled_dot_product_attention" in {op.name for op in program.cost().ops}
    torch.testing.assert_close(_run(program, heads), _dense(heads, seen))


def test_an_update_function_of_jax_with_attention_trains():
    program, rng = ttstack.compile(EXPORTS / "update.mlir"), torch.Generator().manual_seed(0)
    shapes = {"k": (32, 32), "out": (64, 32), "q": (32, 64), "v": (32, 32)}
    weights = {n: torch.randn(s, generator=rng).div(6).requires_grad_() for n, s in shapes.items()}
    x, y = (torch.randn(2, LENGTH, 32, generator=rng) for _ in range(2))
    given = {f"params.{n}": w.detach().numpy().copy() for n, w in weights.items()} | {"x": x.numpy(), "y": y.numpy()}
    descent = torch.optim.SGD(weights.values(), lr=0.5)
    for done in program.steps([given] * 3):
        q, k, v = ((x @ weights[n]).unflatten(2, (-1, 16)).transpose(1, 2) for n in "qkv")
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        loss = (mixed.transpose(1, 2).flatten(2) @ weights["out"] - y).square().mean()
        descent.zero_grad()
        loss.backward()
        descent.step()
        (found,) = done.outputs.values()
        np.testing.assert_allclose(found, loss.item(), rtol=1e-5)
        for name, weight in weights.items():
            np.testing.assert_allclose(done.updated[f"params.{name}"], weight.detach().numpy(), atol=1e-5)


def _whole(q: Tensor, k: Tensor, v: Tensor, seen: Tensor) -> Tensor:
    return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)


def _spelled(q: Tensor, k: Tensor, v: Tensor, seen: Tensor) -> Tensor:
    scores = q @ k.transpose(-1, -2) / 4 + torch.where(seen, 0.0, torch.finfo(torch.float32).min)
    return torch.softmax(scores, -1) @ v


class Masked(nn.Module):
    """Attention with a mask that is a buffer."""

    def __init__(self, attention: Callable[..., Tensor], seen: Tensor) -> None:
        super().__init__()
        self.attention = attention
        self.register_buffer("seen", seen)

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return self.attention(q, k, v, self.seen)


@pytest.mark.parametrize("kind", SEEN)
@pytest.mark.parametrize("attention", [_whole, _spelled])
def test_masks_of_onnx(attention: Callable[..., Tensor], kind: str, tmp_path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported = torch.onnx.export(Masked(attention, SEEN[kind]), _heads(), dynamo=True, verbose=False)
    assert exported is not None
    exported.save(tmp_path / "masked.onnx")
    _check(ttstack.compile(tmp_path / "masked.onnx"), SEEN[kind])
