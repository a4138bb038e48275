"""Scores of the last token alone: in every spelling the program that computes no others, with the same values."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from tests.frontends.call_text import results_of
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.shape import Reshape
from ttstack.ops.types import DType, TensorType
from ttstack.passes.ttir.queries.sliced_cone import SlicedCone

USERS, TOKENS, WORDS = 2, 128, 4096
LAST: dict[str, Callable[[Tensor], Tensor]] = {
    "element": lambda y: y[:, -1],
    "slice": lambda y: y[:, -1:],
    "divided": lambda y: (y / 0.7)[:, -1],
    "capped": lambda y: (torch.tanh(y / 30) * 30)[:, -1],
    "transposed": lambda y: y.transpose(0, 1)[-1],
    "flat": lambda y: y.reshape(-1, WORDS)[TOKENS - 1 :: TOKENS],
    "softmax": lambda y: y.softmax(-1)[:, -1],
    "log_softmax": lambda y: y.log_softmax(-1)[:, -1],
    "largest": lambda y: y.max(-1).values[:, -1],
    "chosen": lambda y: y.argmax(-1)[:, -1],
}
"""Ways in which callers take the last token of (users, tokens, words) scores."""


class Scores(nn.Module):
    """The end of a decoder, and what a caller does with it."""

    def __init__(self, last: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.last, self.norm, self.head = last, nn.LayerNorm(64), nn.Linear(64, WORDS, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.head(self.norm(x)))


def compiled(model: nn.Module, x: Tensor, way: str, folder: Path) -> ttstack.Program:
    if way == "pytorch":
        return ttstack.compile(model, (x,))
    path = folder / "model.onnx"
    torch.onnx.export(model, (x,), str(path), dynamo=way == "exported", verbose=False)
    return ttstack.compile(str(path))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ["pytorch", "traced", "exported"])
@pytest.mark.parametrize("last", LAST)
def test_no_scores_of_other_tokens_are_computed(last: str, way: str, tmp_path: Path) -> None:
    model, x = Scores(LAST[last]).eval(), torch.randn(USERS, TOKENS, 64)
    program = compiled(model, x, way, tmp_path)
    computed = [op.results[0].type.shape for op in program.cost().ops if op.results]
    assert max(np.prod(shape) for shape in computed if WORDS in shape) == USERS * WORDS, computed
    (found,) = program.run(dict(zip(program.inputs(), [x.numpy()], strict=True))).outputs.values()
    np.testing.assert_allclose(found, model(x).detach().numpy(), rtol=1e-4, atol=1e-4)


def test_slices_of_stablehlo_go_before_the_product():
    x, w = (np.random.default_rng(1).standard_normal(shape, np.float32) for shape in ((1, 128, 64), (64, 4096)))
    text = """func.func @main(%x: tensor<1x128x64xf32>, %w: tensor<64x4096xf32>) -> tensor<1x1x4096xf32> {
      %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
        : (tensor<1x128x64xf32>, tensor<64x4096xf32>) -> tensor<1x128x4096xf32>
      %z = stablehlo.slice %y [0:1, 127:128, 0:4096] : (tensor<1x128x4096xf32>) -> tensor<1x1x4096xf32>
      return %z : tensor<1x1x4096xf32>
    }"""
    (found,) = results_of(text, [x, w])
    np.testing.assert_allclose(found, x[:, -1:] @ w, rtol=1e-4, atol=1e-4)
    shapes = [op.results[0].type.shape for op in ttstack.compile(text).cost().ops if op.results]
    assert (1, 128, 4096) not in shapes


@pytest.mark.parametrize(
    ("source", "result", "part"),
    [
        ((2, 128, 8), (256, 8), np.s_[255:256, :]),
        ((256, 8), (2, 128, 8), np.s_[:, 127:128, :]),
        ((4, 6), (24,), np.s_[6:18]),
        ((4, 6), (24,), np.s_[3:24:6]),
        ((24,), (2, 3, 4), np.s_[1:2, 0:3:2, 1:2]),
        ((4, 1, 6), (1, 2, 2, 6, 1), np.s_[:, 1:2, :, 2:5, :]),
    ],
)
def test_parts_of_a_reshaped_tensor(source: tuple[int, ...], result: tuple[int, ...], part: tuple[slice, ...]) -> None:
    given, (found, wanted) = np.arange(np.prod(source)).reshape(source), part_of(source, result, part)
    assert found is not None
    (cut,) = found.cuts
    assert cut is not None
    taken = given[tuple(slice(*bounds) for bounds in zip(cut.begins, cut.ends, cut.step, strict=True))]
    np.testing.assert_array_equal(taken.reshape(found.op.results[0].shape), wanted)


@pytest.mark.parametrize(("source", "result", "part"), [((4, 6), (24,), np.s_[5:8]), ((6,), (2, 3), np.s_[:, 0:2])])
def test_elements_that_no_slices_take(source: tuple[int, ...], result: tuple[int, ...], part: tuple[slice, ...]):
    found, _ = part_of(source, result, part)
    assert found is None


def part_of(source: tuple[int, ...], result: tuple[int, ...], part: tuple[slice, ...] | slice):
    """What is found of a part of a reshaped tensor, and its elements where the tensor counts them."""
    parts = part if isinstance(part, tuple) else (part,)
    begins, ends, step = zip(*(of.indices(n) for of, n in zip(parts, result, strict=True)), strict=True)
    op = Reshape(input=TensorType(source, DType.F32), shape=result)
    found = SlicedCone.of(op, SliceStatic(input=op.results[0], begins=begins, ends=ends, step=step))
    return found, np.arange(np.prod(source)).reshape(result)[parts]
