"""Group norms as the library's op where that is predicted to be faster, and their values."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.api import Program

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
    for numerics, least in (("ieee", None), ("device", 0.99)):
        (found,) = program.run({"x": x.numpy()}, numerics=numerics).outputs.values()
        if least is None:
            assert np.abs(found - wanted).max() < 1e-4 * np.abs(wanted).max()
        else:
            assert np.corrcoef(found.ravel(), wanted.ravel())[0, 1] > least


def test_it_stays_written_out_where_that_is_faster_or_asked_for():
    """Groups of ten channels of many pixels: two columns of cores, each of which takes sixteen groups in turn."""
    small, large = block(640, 8), block(320, 64)
    assert "group_norm" in names(ttstack.compile(small[0], (small[1],)))
    for (model, x), without in ((large, None), (small, "group-norms")):
        found = names(ttstack.compile(model, (x,), without=without))
        assert "group_norm" not in found
        assert "rsqrt" in found


def test_it_is_predicted_to_be_faster_than_what_it_replaces():
    model, x = block(1280, 16)
    now, apart = (ttstack.compile(model, (x,), dtype="bf16", without=without) for without in (None, "group-norms"))
    assert now.cost().total_ns + now.cost().gap_ns < 0.8 * (apart.cost().total_ns + apart.cost().gap_ns)
    assert len(now.cost().ops) + 10 < len(apart.cost().ops)


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
