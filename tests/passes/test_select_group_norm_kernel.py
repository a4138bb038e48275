"""Group norms as the library's op where that is predicted to be faster, and their values."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.compiled_program import Program

GROUPS = 32


class Block(nn.Module):
    """Two convolutions with a group norm between them, as residual blocks of a UNet have."""

    def __init__(self, channels: int, follow: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 1) for _ in range(2))
        self.norm = nn.GroupNorm(GROUPS, channels)
        self.follow = follow
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.follow(self.norm(self.first(x))))


def block(
    channels: int, side: int, batch: int = 1, follow: Callable[[torch.Tensor], torch.Tensor] = nn.functional.silu
):
    torch.manual_seed(0)
    return Block(channels, follow).eval(), torch.randn(batch, channels, side, side)


def names(program: Program) -> list[str]:
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize("batch", [1, 2])
def test_values_are_those_of_torch(batch: int):
    model, x = block(640, 8, batch)
    program = ttstack.compile(model, (x,), dtype="bf16")
    assert "group_norm" in names(program)
    with torch.no_grad():
        wanted = model(x).numpy()
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    assert np.abs(found - wanted).max() < 1e-4 * np.abs(wanted).max()
    (rounded,) = program.run({"x": x.numpy()}, numerics="device").outputs.values()
    assert np.corrcoef(rounded.ravel(), wanted.ravel())[0, 1] > 0.99


def test_it_stays_written_out_where_that_is_faster_or_asked_for():
    """Groups of ten channels of many pixels: two columns of cores, each of which takes sixteen groups in turn."""
    small, large = block(640, 8), block(320, 64)
    assert "group_norm" in names(ttstack.compile(small[0], (small[1],)))
    for (model, x), without in ((large, None), (small, "select-group-norm-kernel")):
        found = names(ttstack.compile(model, (x,), without=without))
        assert "group_norm" not in found
        assert "rsqrt" in found


def test_it_is_predicted_to_be_faster_than_what_it_replaces():
    model, x = block(1280, 16)
    now, apart = (
        ttstack.compile(model, (x,), dtype="bf16", without=without) for without in (None, "select-group-norm-kernel")
    )
    assert now.cost().total_ns + now.cost().gap_ns < 0.8 * (apart.cost().total_ns + apart.cost().gap_ns)
    assert len(now.cost().ops) + 7 <= len(apart.cost().ops)


class Spelled(Block):
    """The same as layer norm of each group, with factors and summands by group, then by channel."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.first(x)
        rows = y.reshape(y.shape[0], GROUPS, -1)
        rows = nn.functional.layer_norm(rows, rows.shape[-1:]) * self.by_group + 0.5 * self.by_group
        y = rows.reshape(y.shape) * self.norm.weight[:, None, None] + self.norm.bias[:, None, None]
        return self.second(self.follow(y))

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.by_group = nn.Parameter(torch.linspace(1, 2, GROUPS)[None, :, None])


@pytest.mark.parametrize("batch", [1, 2])
def test_layer_norms_of_groups_are_group_norms(batch: int):
    torch.manual_seed(0)
    model, x = Spelled(640, nn.functional.silu).eval(), torch.randn(batch, 640, 8, 8)
    program = ttstack.compile(model, (x,))
    found = names(program)
    assert "group_norm" in found
    assert "layer_norm" not in found
    assert batch > 1 or not {"multiply", "add"} & set(found)
    (values,) = program.run({"x": x.numpy()}).outputs.values()
    with torch.no_grad():
        wanted = model(x).numpy()
    assert np.abs(values - wanted).max() < 1e-4 * np.abs(wanted).max()


def test_what_is_written_out_reduces_no_dimension_of_one():
    """Means over pixels are a tall matrix then, which the library divides over all cores, and not over ten."""
    model, x = block(320, 64)
    means = [op for op in ttstack.compile(model, (x,)).cost().ops if op.name == "mean"]
    assert [op.cores for op in means if op.results[0].type.size == 320] == [60, 60]


TEXT = """
func.func @main(%x: tensor<1x1x{rows}x640xbf16>, %m: tensor<1x32x32x64xbf16>) -> tensor<1x1x{rows}x640xbf16> {{
  %0 = "ttir.group_norm"(%x, %m) <{{num_groups = 32 : i64, epsilon = 1.0e-5 : f32,
    operandSegmentSizes = array<i32: 1, 1, 0, 0>}}> :
    (tensor<1x1x{rows}x640xbf16>, tensor<1x32x32x64xbf16>) -> tensor<1x1x{rows}x640xbf16>
  return %0 : tensor<1x1x{rows}x640xbf16>
}}
"""


@pytest.mark.parametrize(("rows", "fits"), [(64, True), (48, False)])
def test_a_mask_that_a_text_gives_is_made_anew(rows: int, fits: bool):
    program = ttstack.compile(TEXT.format(rows=rows))
    (found,) = [op for op in program.cost().ops if op.name == "group_norm"] or [None]
    assert (found is not None) is fits
    assert [op.name for op in program.cost().ops].count("rsqrt") == (0 if fits else 1)
