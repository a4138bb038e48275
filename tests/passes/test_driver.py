"""The driver of rewrites: endless rewrites are left out, and what a declined rewrite built is erased."""

import gc
import re
from random import Random

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from benchmarks.random_models.check import check
from benchmarks.random_models.draw import GRAPH, draw
from ttstack.diagnostics import TTStackWarning
from ttstack.dialects.context import new_context
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.passes.rewriting.pattern import apply_patterns

MODULE = """
func.func @f(%x: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %a = "ttir.exp"(%x) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %b = "ttir.neg"(%x) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %a, %b : tensor<32x32xf32>, tensor<32x32xf32>
}
"""


REWRITES = ("canonicalize-movement", "distribute-matmul-over-concat", "fold-gather-into-weights")


class C2f(nn.Module):
    """The block of YOLOv8 that is named so, with one convolution."""

    def __init__(self) -> None:
        super().__init__()
        self.m = nn.Conv2d(32, 32, 3, padding=1)
        self.conv, self.bn = nn.Conv2d(96, 64, 1, bias=False), nn.BatchNorm2d(64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = list(x.chunk(2, 1))
        y.append(self.m(y[1]))
        return self.bn(self.conv(torch.cat(y, 1)))


def test_a_block_of_yolov8_compiles_with_its_rewrites():
    model, x = C2f().eval(), torch.randn(1, 64, 16, 20)
    program = ttstack.compile(model, (x,))  # a warning would be an error
    (found,) = program.run({"x": x.numpy()}).outputs.values()
    with torch.no_grad():
        np.testing.assert_allclose(found, model(x).numpy(), rtol=1e-4, atol=1e-5)
    names, without = (
        [op.name for op in found.cost().ops] for found in (program, ttstack.compile(model, (x,), without=REWRITES))
    )
    assert len(names) <= len(without)


@pytest.mark.parametrize("number", range(24))
def test_drawn_graphs_compile_and_keep_their_values(number: int):
    """`python -m benchmarks.random_models --kind graph` takes 300 of them."""
    example = draw(1, number, GRAPH)
    assert list(check(example, Random(number), thorough=False)) == [], example.about


def _names(module: ir.Module) -> list[str]:
    (function,) = module.body.operations
    return [op.operation.name for op in function.regions[0].blocks[0].operations]


def _exp_to_log(op: ir.Operation) -> list[ir.Value]:
    return [ttir.log(op.operands[0])]


def _log_to_exp(op: ir.Operation) -> list[ir.Value]:
    return [ttir.exp(op.operands[0])]


def _neg_to_abs(op: ir.Operation) -> list[ir.Value]:
    return [ttir.abs(op.operands[0])]


def _exp_of_exp(op: ir.Operation) -> list[ir.Value]:
    return [ttir.sin(ttir.exp(op.operands[0]))]


ENDLESS = {
    "undo each other": ([("ttir.exp", _exp_to_log), ("ttir.log", _log_to_exp)], {"exp_to_log", "log_to_exp"}),
    "grows": ([("ttir.exp", _exp_of_exp)], {"exp_of_exp"}),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_endless_rewrites_are_named_and_the_others_stay(case: str):
    rewrites, names = ENDLESS[case]
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(MODULE)
        with pytest.warns(TTStackWarning, match="do not end") as warned:
            apply_patterns(module, [*rewrites, ("ttir.neg", _neg_to_abs)])
        assert _names(module) == ["ttir.exp", "ttir.abs", "func.return"]
        assert module.operation.verify()
    (warning,) = warned
    assert set(re.findall(r"test_driver\.(\w+)", str(warning.message))) == names


def test_what_a_declined_rewrite_built_is_erased_and_it_is_not_tried_again():
    tried: list[str] = []

    def decline(op: ir.Operation) -> None:
        tried.append(op.name)
        ttir.sin(ttir.cos(op.operands[0]))

    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(MODULE)
        apply_patterns(module, [("ttir.exp", decline), ("ttir.neg", _neg_to_abs)])  # a rewrite makes a second sweep
        assert _names(module) == ["ttir.exp", "ttir.abs", "func.return"]
        assert "declined" not in str(module)
    assert tried == ["ttir.exp"]


def test_a_compiled_module_leaves_no_context():
    """Patterns hold their driver, and MLIR the patterns: the circle is broken by hand."""
    ttstack.compile("examples/encoder_layer.mlir")
    gc.collect()
    before = ir.Context._get_live_count()
    for _ in range(3):
        ttstack.compile("examples/encoder_layer.mlir")
    gc.collect()
    assert ir.Context._get_live_count() == before
