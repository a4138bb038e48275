"""Attention whose masks hide whole rows, in every format, against PyTorch in the source's own precision."""

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
FORMATS = {None: 1e-5, "bf16": 0.02, "bfp8_b": 0.05, "bfp4_b": 0.5}
"""How far a row is away in each format, of values around 1."""


class Spelled(torch.nn.Module):
    def __init__(self, spelling: str, fill: float, *, fused: bool) -> None:
        super().__init__()
        self.spelling, self.fill, self.fused = SPELLINGS[spelling], fill, fused

    def forward(self, q, k, v, keep):
        weights = torch.softmax(self.spelling(q @ k.mT / 4, keep, self.fill), -1)
        return weights @ v if self.fused else weights


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


def check(model: torch.nn.Module, given: list, dtype: str | None) -> None:
    """NaN in the same places, all else close."""
    program = ttstack.compile(model, tuple(given), dtype=dtype)
    values = dict(zip(program.inputs(), (x.numpy() for x in given), strict=True))
    (have,) = program.run(values, numerics="device" if dtype else "ieee").outputs.values()
    want = model(*given).numpy()
    np.testing.assert_array_equal(np.isnan(have), np.isnan(want))
    np.testing.assert_allclose(have, want, atol=FORMATS[dtype], equal_nan=True)


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("fill", [MIN, -np.inf, -1e9])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spelled_attention(spelling: str, fill: float, dtype: str | None):
    if (spelling, fill) != ("times", -np.inf):  # 0 * -inf
        check(Spelled(spelling, fill, fused=True), inputs(), dtype)


@pytest.mark.parametrize("dtype", [None, "bf16"])
@pytest.mark.parametrize("fill", [MIN, -np.inf, -1e9])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_softmax_alone(spelling: str, fill: float, dtype: str | None):
    if (spelling, fill) != ("times", -np.inf):
        check(Spelled(spelling, fill, fused=False), inputs(), dtype)


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("fill", [None, MIN, -np.inf, -1e9])
def test_attention_as_one_op(fill: float | None, dtype: str | None):
    check(Whole(fill), inputs(), dtype)


class Given(torch.nn.Module):
    def forward(self, q, k, v, mask):
        return torch.softmax(q @ k.mT / 4 + mask, -1) @ v


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
