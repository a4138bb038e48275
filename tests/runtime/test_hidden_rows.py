"""Attention whose masks hide whole rows, in every format, against PyTorch in the source's own precision."""

from typing import Any

import numpy as np
import pytest

import ttstack

torch = pytest.importorskip("torch")
F = torch.nn.functional

MIN = torch.finfo(torch.float32).min
KEEP = torch.tensor([[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]], dtype=torch.bool)

SPELLINGS = {
    "where": lambda s, keep, fill: torch.where(keep, s, fill),
    "masked_fill": lambda s, keep, fill: s.masked_fill(~keep, fill),
    "added": lambda s, keep, fill: s + torch.where(keep, 0.0, fill),
    "times": lambda s, keep, fill: s + (1 - keep.float()) * fill,
    "twice": lambda s, keep, fill: s + torch.where(keep, 0.0, fill) + torch.where(keep, 0.0, fill),
    "sum": lambda s, keep, fill: s + (torch.where(keep, 0.0, fill) + torch.where(keep, 0.0, fill)),
}
REPLACING = ["where", "masked_fill"]
FILLS = [MIN, -np.inf, -1e9, -1e4]
FORMATS = {None: 1e-5, "bf16": 0.02, "bfp8_b": 0.05, "bfp4_b": 0.5}
"""How far a row is away in each format, of values around 1."""


class Spelled(torch.nn.Module):
    def __init__(self, spelling: str, fill: float) -> None:
        super().__init__()
        self.spelling, self.fill = SPELLINGS[spelling], fill

    def forward(self, q, k, v, keep):
        return torch.softmax(self.spelling(q @ k.mT / 4, keep, self.fill), -1) @ v


class Weights(torch.nn.Module):
    """Softmax alone, of each spelling."""

    def __init__(self, spellings: list[str], fill: float) -> None:
        super().__init__()
        self.spellings, self.fill = [SPELLINGS[s] for s in spellings], fill

    def forward(self, scores, keep):
        return [torch.softmax(spelling(scores, keep, self.fill), -1) for spelling in self.spellings]


class TwoMasks(torch.nn.Module):
    """Which are two ops of different fills, so that attention is not a single one."""

    def forward(self, q, k, v, keep):
        scores = (q @ k.mT / 4).masked_fill(~keep, -1e4)
        return torch.softmax(scores.masked_fill(~keep.mT, -1e9), -1) @ v


class Whole(torch.nn.Module):
    def __init__(self, fill: float | None) -> None:
        super().__init__()
        self.fill = fill

    def forward(self, q, k, v, keep):
        mask = keep if self.fill is None else torch.where(keep, 0.0, self.fill)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def inputs() -> list:
    generator = torch.Generator().manual_seed(1)
    return [*(torch.randn(1, 2, 4, 16, generator=generator) for _ in range(3)), KEEP]


def check(model: Any, given: list[Any], dtype: str | None, rows: Any = slice(None)) -> None:
    """NaN in the same places, all else close, in these rows of every result."""
    program = ttstack.compile(model, tuple(given), dtype=dtype)
    values = dict(zip(program.inputs(), (x.numpy() for x in given), strict=True))
    have = program.run(values, numerics="device" if dtype else "ieee").outputs.values()
    want = model(*given)
    for mine, theirs in zip(have, want if isinstance(want, list) else [want], strict=True):
        a, b = mine[..., rows, :], theirs.numpy()[..., rows, :]
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
        np.testing.assert_allclose(a, b, atol=FORMATS[dtype], equal_nan=True)


SOME_LEFT = [0, 2, 3]
"""Rows that are not hidden as a whole: of scores that had -1e4 added, rounding alone says what is left."""


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spelled_attention(spelling: str, fill: float, dtype: str | None):
    if (spelling, fill) != ("times", -np.inf):  # 0 * -inf
        rows = SOME_LEFT if fill == -1e4 and spelling not in REPLACING else slice(None)
        check(Spelled(spelling, fill), inputs(), dtype, rows)


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("fill", FILLS)
def test_softmax_alone(fill: float, dtype: str | None):
    q, k, _, keep = inputs()
    adding = [s for s in SPELLINGS if s not in REPLACING and (s, fill) != ("times", -np.inf)]
    check(Weights(REPLACING, fill), [q @ k.mT / 4, keep], dtype)
    check(Weights(adding, fill), [q @ k.mT / 4, keep], dtype, SOME_LEFT if fill == -1e4 else slice(None))


@pytest.mark.parametrize("dtype", FORMATS)
def test_attention_of_several_ops(dtype: str | None):
    check(TwoMasks(), inputs(), dtype)


@pytest.mark.parametrize("fill", FILLS)
def test_what_replaces_scores_is_attentions_mask(fill: float):
    program = ttstack.compile(Spelled("where", fill), tuple(inputs()), dtype="bf16")
    assert "scaled_dot_product_attention" in [op.name for op in program.cost().ops]


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("fill", [None, MIN, -np.inf, -1e9])
def test_attention_as_one_op(fill: float | None, dtype: str | None):
    check(Whole(fill), inputs(), dtype)


class Given(torch.nn.Module):
    def forward(self, q, k, v, mask):
        return torch.softmax(q @ k.mT / 4 + mask, -1) @ v


class Biased(torch.nn.Module):
    """A bias and a mask in one tensor."""

    def __init__(self, mask) -> None:
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask)


class Registered(torch.nn.Module):
    def __init__(self, keep) -> None:
        super().__init__()
        self.register_buffer("keep", keep)

    def forward(self, q, k, v, _):
        return torch.softmax((q @ k.mT / 4).masked_fill(~self.keep, -np.inf), -1) @ v


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("fill", [MIN, -np.inf])
def test_a_mask_as_input(fill: float, dtype: str | None):
    *others, keep = inputs()
    check(Given(), [*others, torch.where(keep, 0.0, fill)], dtype)


@pytest.mark.parametrize("keep", [KEEP, torch.ones(4, 4, dtype=torch.bool).tril()], ids=["hidden", "causal"])
def test_a_mask_as_buffer(keep):
    check(Registered(keep), inputs(), "bf16")


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("fill", [MIN, -np.inf, -1e4])
def test_a_bias_beside_fills(fill: float, dtype: str | None):
    *heads, keep = inputs()
    bias = torch.tensor([[0.0, 2.0, 0.0, 0.0], [0, 0, 0, 0], [3, 0, -1, 1], [0, 0, 0, 0]])
    check(Biased(torch.where(keep, bias, fill)), heads, dtype)
    check(Whole(None), [*heads, torch.where(keep, bias, fill)], dtype)
