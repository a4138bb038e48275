"""Norms that add a residual themselves: where that is predicted to be faster, and their values."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.compiled_program import Program


class PostNorm(nn.Module):
    """A product and its input are added up and normalised, twice, as in encoders of BERT's kind."""

    def __init__(self, width: int, norm: Callable[[int], nn.Module] = nn.LayerNorm, *, kept: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.norms = nn.ModuleList(norm(width) for _ in range(2))
        self.kept = kept
        for parameter in self.norms.parameters():
            nn.init.normal_(parameter)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        x = self.norms[0](self.first(x) + x)
        total = self.second(x) + x
        return (self.norms[1](total), total) if self.kept else (self.norms[1](total),)


def compiled(model: nn.Module, *shape: int, **options: Any) -> tuple[Program, torch.Tensor]:
    x = torch.randn(*shape)
    return ttstack.compile(model.eval(), (x,), **options), x


def fused(program: Program) -> int:
    """Norms with a residual: an operand as large as the input after it."""
    norms = [op for op in program.cost().ops if op.name in ("layer_norm", "rms_norm")]
    return sum(any(o.type == op.operands[0].type for o in op.operands[1:]) for op in norms)


@pytest.mark.parametrize("norm", [nn.LayerNorm, nn.RMSNorm])
def test_values_are_those_of_torch(norm: Callable[[int], nn.Module]):
    model = PostNorm(256, norm)
    program, x = compiled(model, 8, 96, 256, dtype="bf16")
    assert fused(program) == 2
    assert "add" not in [op.name for op in program.cost().ops]
    with torch.no_grad():
        (wanted,) = (y.numpy() for y in model(x))
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    assert np.abs(found - wanted).max() < 1e-4 * np.abs(wanted).max()
    (rounded,) = program.run({"x": x.numpy()}, numerics="device").outputs.values()
    assert np.corrcoef(rounded.ravel(), wanted.ravel())[0, 1] > 0.999


def test_it_is_faster_and_can_be_left_out():
    model = PostNorm(768)
    program, _ = compiled(model, 4, 384, 768, dtype="bf16")
    apart, _ = compiled(model, 4, 384, 768, dtype="bf16", without="fuse-residual-into-norm")
    assert (fused(program), fused(apart)) == (1, 0)
    assert program.cost().total_ns < apart.cost().total_ns


def test_a_sum_that_is_read_elsewhere_stays():
    program, _ = compiled(PostNorm(256, kept=True), 8, 96, 256, dtype="bf16")
    assert fused(program) == 1
    assert [op.name for op in program.cost().ops].count("add") == 1


def test_a_row_that_is_added_stays():
    """Both are of one shape in the library's kernel."""

    class Row(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.row = nn.Parameter(torch.ones(1, 1, 256))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.functional.layer_norm(x + self.row, (256,))

    program, _ = compiled(Row(), 8, 96, 256)
    assert "add" in [op.name for op in program.cost().ops]


def test_emitted_code_names_the_residual():
    program, _ = compiled(PostNorm(256), 8, 96, 256, dtype="bf16")
    assert program.to_python().count("residual_input_tensor=") == 2


def test_a_text_spells_it_as_one_operand_more():
    text = """
      func.func @main(%x: tensor<64x64xf32>, %b: tensor<64xf32>, %r: tensor<64x64xf32>) -> tensor<64x64xf32> {
        %0 = "ttir.layer_norm"(%x, %b, %r) {normalized_shape = array<i64: 64>,
          operandSegmentSizes = array<i32: 1, 0, 1, 1>}
          : (tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        return %0 : tensor<64x64xf32>
      }"""
    x, b, r = (np.random.default_rng(0).normal(size=shape).astype(np.float32) for shape in ((64, 64), 64, (64, 64)))
    total = x + r
    wanted = (total - total.mean(-1, keepdims=True)) / np.sqrt(total.var(-1, keepdims=True) + 1e-5) + b
    program, given = ttstack.compile(text), {"arg0": x, "arg1": b, "arg2": r}
    for engine in ("numpy", "cpu"):
        (found,) = program.run(given, engine=engine).outputs.values()
        assert np.allclose(found, wanted, atol=1e-4)
