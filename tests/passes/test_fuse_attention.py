"""Attention that a model spells out is one op with the same values."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

import ttstack

HIDDEN = torch.triu(torch.ones(6, 6, dtype=torch.bool), 1)


def grouped(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """Groups of three heads as einsum has them, with a mask of each."""
    apart, keys, values = q.view(2, 1, 3, 6, 32).permute(0, 3, 1, 2, 4), k[:, :1].mT.mT, v[:, :1]
    scores = torch.einsum("btkgd,bksd->bkgts", apart, keys) * 0.25 + mask[:, None]
    return torch.einsum("bkgts,bksd->bkgtd", torch.softmax(scores, -1), values)[:, 0]


def plain(q: Tensor, k: Tensor, v: Tensor, _: Tensor) -> Tensor:
    return torch.softmax(q @ k.mT / 4, -1) @ v


def scaled_before_the_product(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax((q * 0.5) @ (k.mT * 0.25) + mask, -1) @ v


def guarded(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """As ONNX has it, where a query may see no key."""
    weights = torch.softmax(q @ k.mT + torch.where(mask[..., :1] > 0, mask, -torch.inf), -1)
    return torch.where(weights != weights, 0.0, weights) @ v  # noqa: PLR0124


def nothing_where_a_mask_hides_all(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """As ONNX has attention, from operator set 23 on."""
    bias = torch.where(mask[:1] > 1, 0.0, -torch.inf)
    weights = torch.where(bias.amax(-1, keepdim=True) == -torch.inf, 0.0, torch.softmax(q @ k.mT + bias, -1))
    return weights @ v


def masked_before_it_is_scaled(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax((q @ k.mT + mask) * 0.25, -1) @ v


def batch_and_heads_in_one_dimension(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    heads, rows = q.shape[:2], q.shape[2]
    scores = torch.bmm(q.flatten(0, 1), k.flatten(0, 1).mT) * 0.25
    weights = torch.softmax(scores.view(*heads, rows, -1) + mask[:, :1], -1).view(-1, rows, rows)
    return torch.bmm(weights, v.flatten(0, 1)).view(q.shape)


def hidden(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    scores = (q @ k.mT).masked_fill(mask > 0.5, torch.finfo(q.dtype).min)
    return torch.softmax(scores + mask[:1, :, :1], -1) @ v


def hidden_after_a_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    padded = (q @ k.mT).masked_fill(mask > -0.5, -1e9)
    return torch.softmax(padded.masked_fill(HIDDEN, -1e9), -1) @ v


def no_batch(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(q[0, 0] @ k[0, 0].T + mask[0, 0], -1) @ v[0, 0]


def one_head_of_keys(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(q @ k[:, :1].mT + mask, -1) @ v[:, :1]


def causal(q: Tensor, k: Tensor, v: Tensor, _: Tensor) -> Tensor:
    return torch.softmax(torch.where(HIDDEN, -1e9, q @ k.mT), -1) @ v


def weights_turned(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """As einsum writes the second product, values first."""
    weights = torch.softmax(q @ k.mT * 0.25 + mask, -1)
    return (v.mT @ weights.mT).mT


def ones_between(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """As `jax.vmap` leaves a group of one."""
    scores = (q @ k.mT).unsqueeze(3) * 0.25
    weights = torch.softmax(scores.permute(3, 0, 1, 2, 4) + mask[None], -1)
    return v.mT.matmul(weights.permute(1, 2, 4, 0, 3).squeeze(3)).mT


def repeated_keys(q: Tensor, k: Tensor, v: Tensor, _: Tensor) -> Tensor:
    keys, values = (x[:, :1, None].expand(2, 1, 3, 6, 32).reshape(q.shape) for x in (k, v))
    return torch.softmax(q @ keys.transpose(-1, -2), -1) @ values


def repeated_values(q: Tensor, k: Tensor, v: Tensor, _: Tensor) -> Tensor:
    return torch.softmax(q @ k.mT, -1) @ v[:, :1, None].expand(2, 1, 3, 6, 32).reshape(q.shape)


def keys_of_one_batch(q: Tensor, k: Tensor, v: Tensor, _: Tensor) -> Tensor:
    keys, values = (x[:1, :1, None].expand(2, 1, 3, *x.shape[2:]).reshape(q.shape) for x in (k, v))
    return torch.softmax(q @ keys.mT, -1) @ values


@pytest.mark.parametrize(
    "spelled",
    [
        plain,
        scaled_before_the_product,
        guarded,
        nothing_where_a_mask_hides_all,
        masked_before_it_is_scaled,
        batch_and_heads_in_one_dimension,
        hidden,
        hidden_after_a_mask,
        no_batch,
        one_head_of_keys,
        causal,
        weights_turned,
        ones_between,
        repeated_keys,
        repeated_values,
        keys_of_one_batch,
        grouped,
    ],
)
def test_one_op_gives_the_same(spelled: Callable[..., Tensor]):
    class Attention(nn.Module):
        def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
            return spelled(q, k, v, mask)

    torch.manual_seed(0)
    inputs = (*(torch.randn(2, 3, 6, 32) for _ in range(3)), torch.randn(2, 3, 6, 6))
    program = ttstack.compile(Attention(), inputs)
    names = [op.name for op in program.cost().ops]
    assert names.count("scaled_dot_product_attention") == 1
    assert not {"matmul", "softmax"} & set(names)
    assert spelled is not repeated_keys or not {"broadcast", "repeat_interleave"} & set(names)
    given = dict(zip(["q", "k", "v", "mask"], inputs, strict=True))
    (found,) = program.run({name: given[name].numpy() for name in program.inputs()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), spelled(*inputs), rtol=1e-5, atol=1e-5)
    if spelled is causal:
        assert names == ["scaled_dot_product_attention"], "a mask that is known to be causal is not an operand"


def outer(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q[:1] @ k[:1].mT, -1).view(3, 1, 6, 6) @ v[:1]


def vector(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q[0, 0] @ k[0, 0].T, -1) @ v[0, 0, :, 0]


def negated(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(torch.where(HIDDEN, -1e9, q @ k.mT) * -1.0, -1) @ v


def nothing(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(torch.where(HIDDEN, -1e9, q @ k.mT) * 0.0, -1) @ v


def over_queries(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Scores of one key are a row as well as a column."""
    return torch.softmax((q @ k[:, :, :1].mT).mT, -1) @ v


def weights_of_other_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Keys have changed places with heads, not with queries."""
    values = torch.cat([v, v], 1).permute(0, 2, 3, 1)
    return values @ torch.softmax(q @ k.mT, -1).permute(0, 3, 2, 1)


@pytest.mark.parametrize("spelled", [outer, vector, negated, nothing, over_queries, weights_of_other_heads])
def test_what_is_no_attention_stays_as_it_is(spelled: Callable[..., Tensor]):
    class Other(nn.Module):
        def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return spelled(q, k, v)

    torch.manual_seed(0)
    inputs = tuple(torch.randn(2, 3, 6, 32) for _ in range(3))
    program = ttstack.compile(Other(), inputs)
    assert "softmax" in {op.name for op in program.cost().ops}
    (found,) = program.run({name: x.numpy() for name, x in zip("qkv", inputs, strict=True)}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(found), spelled(*inputs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("batch", "order"), [("2x", "0, 2, 1, 3"), ("", "1, 0, 2")])
def test_heads_are_split_and_joined_by_ops_of_their_own(batch: str, order: str):
    rows, apart, heads = (f"tensor<{batch}{shape}xf32>" for shape in ("6x96", "6x3x32", "3x6x32"))
    turn = f"permutation = array<i64: {order}>"
    split, joined = ([f"{n} : i32" for n in t[7:-5].split("x")] for t in (apart, rows))
    program = ttstack.compile(f"""func.func @f(%x: {rows}) -> {rows} {{
      %0 = "ttir.reshape"(%x) <{{shape = [{", ".join(split)}]}}> : ({rows}) -> {apart}
      %1 = "ttir.permute"(%0) <{{{turn}}}> : ({apart}) -> {heads}
      %2 = "ttir.softmax"(%1) <{{dimension = -2 : si32}}> : ({heads}) -> {heads}
      %3 = "ttir.permute"(%2) <{{{turn}}}> : ({heads}) -> {apart}
      %4 = "ttir.reshape"(%3) <{{shape = [{", ".join(joined)}]}}> : ({apart}) -> {rows}
      return %4 : {rows}
    }}""")
    names = [op.name for op in program.cost().ops]
    assert {"split_heads", "concatenate_heads"} <= set(names)
    assert "permute" not in names
