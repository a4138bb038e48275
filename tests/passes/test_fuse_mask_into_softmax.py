"""Softmax that adds a mask itself: where that is predicted to be faster, in which shapes, and its values."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.compiled_program import Program
from ttstack_runtime.numerics import pcc

Added = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class Shares(nn.Module):
    """Shares of the exponentials of scores that a mask is added to."""

    def __init__(self, added: Added) -> None:
        super().__init__()
        self.added = added

    def forward(self, scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.added(scores, mask).softmax(-1)


def _for_queries(mask: torch.Tensor, sees: torch.Tensor) -> torch.Tensor:
    """The mask of queries that see any keys at all, as transformers spell it: a row for each query."""
    return torch.where((mask == 0) & sees[:, None], 0.0, -1e4)


def compiled(added: Added, shape: tuple[int, ...], mask: tuple[int, ...], **options: Any) -> tuple[Program, list[Any]]:
    torch.manual_seed(0)
    hidden = torch.where(torch.rand(mask) < 0.2, -1e4, 0.0)
    given = [torch.randn(shape), hidden]
    return ttstack.compile(Shares(added).eval(), tuple(given), dtype="bf16", **options), given


def adds_itself(program: Program) -> bool:
    (op,) = (op for op in program.cost().ops if op.name == "softmax")
    return len(op.operands) > 1


def names(program: Program) -> list[str]:
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize(
    ("shape", "mask", "added"),
    [
        ((4, 12, 128, 256), (4, 1, 1, 256), lambda x, m: x + m),
        ((4, 12, 128, 256), (4, 1, 1, 256), lambda x, m: m + x),
        ((4, 12, 128, 256), (1, 1, 1, 256), lambda x, m: x + m),
        ((4, 12, 128, 256), (256,), lambda x, m: x + m),
        ((4, 12, 128, 256), (4, 12, 1, 256), lambda x, m: x + m),
        ((48, 128, 256), (48, 1, 256), lambda x, m: x + m),
        ((2, 2, 12, 128, 256), (2, 2, 1, 1, 256), lambda x, m: x + m),
        ((4, 12, 100, 197), (4, 1, 1, 197), lambda x, m: x + m),
        ((4, 12, 128, 256), (4, 1, 1, 256), lambda x, m: x + m.expand(4, 1, 128, 256)),
        ((4, 12, 128, 256), (4, 1, 1, 256), lambda x, m: x + _for_queries(m, torch.arange(128) >= 0)),
    ],
)
def test_a_row_for_each_sample_is_added_by_softmax(shape: tuple[int, ...], mask: tuple[int, ...], added: Added):
    program, given = compiled(added, shape, mask)
    assert adds_itself(program)
    assert "add" not in names(program)
    wanted = Shares(added)(*given).numpy()
    numbers = dict(zip(program.inputs(), (v.numpy() for v in given), strict=True))
    (found,) = program.run(numbers).outputs.values()
    assert np.abs(found - wanted).max() < 1e-4 * wanted.max()
    (rounded,) = program.run(numbers, numerics="device").outputs.values()
    assert pcc(rounded, wanted) > 0.99
    apart, _ = compiled(added, shape, mask, without="fuse-mask-into-softmax")
    assert not adds_itself(apart)
    assert program.cost().total_ns < apart.cost().total_ns


@pytest.mark.parametrize(
    ("shape", "mask", "added"),
    [
        ((4, 12, 128, 256), (4, 1, 128, 256), lambda x, m: x + m),
        ((4, 12, 128, 256), (1, 12, 1, 256), lambda x, m: x + m),
        ((4, 12, 128, 256), (4, 1, 1, 256), lambda x, m: x - m),
        ((4, 12, 128, 256), (4, 1, 128, 1), lambda x, m: x + m),
        ((4, 12, 128, 256), (4, 1, 1, 256), lambda x, m: (x + m).transpose(-1, -2)),
        ((4, 12, 128, 256), (4, 1, 1, 256), lambda x, m: x + _for_queries(m, torch.arange(128) >= 64)),
    ],
    ids=[
        "a mask for each row",
        "a row for each head",
        "taken away",
        "a number for each row",
        "along columns",
        "rows that differ",
    ],
)
def test_what_the_kernel_does_not_add_stays(shape: tuple[int, ...], mask: tuple[int, ...], added: Added):
    program, _ = compiled(added, shape, mask)
    assert not adds_itself(program)


def test_a_sum_that_is_read_elsewhere_stays():
    class Both(Shares):
        def forward(self, scores: torch.Tensor, mask: torch.Tensor) -> Any:
            total = scores + mask
            return total.softmax(-1), total

    program = ttstack.compile(Both(lambda x, m: x), (torch.randn(4, 12, 128, 256), torch.zeros(4, 1, 1, 256)))
    assert not adds_itself(program)


def test_weights_of_attention_with_short_samples():
    """`need_weights` of PyTorch's own module: scores are scaled by weights, and masked as the bias of their product."""
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(256, 4, batch_first=True).eval()
    x, ends = torch.randn(2, 64, 256), torch.tensor([64, 40])
    hidden = torch.where(torch.arange(64)[None] < ends[:, None], 0.0, -1e4)

    class Weights(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = attention

        def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> Any:
            return self.attention(x, x, x, key_padding_mask=hidden, average_attn_weights=False)

    program = ttstack.compile(Weights(), (x, hidden))
    assert not {"add", "multiply", "div"} & {*names(program)}
    with torch.no_grad():
        wanted = Weights()(x, hidden)
    found = program.run({"x": x.numpy(), "hidden": hidden.numpy()}).outputs.values()
    for ours, theirs in zip(found, wanted, strict=True):
        assert np.abs(ours - theirs.numpy()).max() < 1e-4 * np.abs(theirs.numpy()).max()


def test_long_ways_to_scores_are_followed_once():
    """Each step reads the last one twice: 2 ** 64 ways."""

    class Long(Shares):
        def forward(self, scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            for _ in range(64):
                scores = scores.tanh() * scores.sigmoid()
            return (scores + mask).softmax(-1)

    program = ttstack.compile(Long(lambda x, m: x), (torch.randn(2, 4, 64, 64), torch.zeros(2, 1, 1, 64)), dtype="bf16")
    assert adds_itself(program)


def test_rows_that_do_not_pay_are_not_made():
    """Every key has its own number in every head: no row for each sample, though all of a head's are copies."""

    class Heads(Shares):
        def forward(self, scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            return (scores + (mask * 2).expand(2, 4, 64, 64).neg()).softmax(-1)

    given = torch.randn(2, 4, 64, 64), torch.randn(1, 4, 1, 64)
    program = ttstack.compile(Heads(lambda x, m: x), given, dtype="bf16")
    assert not adds_itself(program)
    apart = ttstack.compile(Heads(lambda x, m: x), given, dtype="bf16", without="fuse-mask-into-softmax")
    assert names(program) == names(apart)
