"""Attention with a mask that is known visits what the mask leaves, and has the values of dense attention."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from tests.masks.drawn import KINDS, Mask, Rng, draw
from tests.ttnn_python.values import compare
from ttstack.compiled_program import Program
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.ops.types import DType, TensorType
from ttstack.passes.base import Pipeline
from ttstack.passes.ttir.attention.fold_masks import FoldMasks
from ttstack.report.columns import columns
from ttstack.report.csv import csv_text
from ttstack.report.formatting import percent
from ttstack.report.model import OpReport

LENGTH, WINDOW = 512, 48
Q, K = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)[None, :]
OF = torch.repeat_interleave(torch.arange(3), torch.tensor([140, 240, 132]))
DOCUMENTS = OF[Q] == OF[K]
BLOCKS = (torch.rand(1, 2, 4, 4, generator=torch.Generator().manual_seed(1)) < 0.3).repeat_interleave(128, 2)
USERS = 32
"""As many that each core has all blocks of a head, those that see few keys and those that see many."""
PADDED = (torch.tensor([100, 300] * (USERS // 2))[:, None, None] > K).expand(USERS, LENGTH, LENGTH)[:, None]
NAMED: dict[str, tuple[Tensor, str, str]] = {
    "causal": (K <= Q, "scaled_dot_product_attention", ""),
    "window": ((K <= Q) & (K > Q - WINDOW), "scaled_dot_product_attention", "48"),
    "centred": (abs(Q - K) <= WINDOW // 2, "scaled_dot_product_attention", "48"),
    "documents": (DOCUMENTS, "block_sparse_attention", "0,140:140,380:380..140,140:380,380:512"),
    "causal documents": (DOCUMENTS & (K <= Q), "block_sparse_attention", "0,140:140,380:380..q+1"),
    "padding": (PADDED, "block_sparse_attention", f"[{USERS}x1] 0..100 | 0..300"),
    "blocks": (BLOCKS.repeat_interleave(128, 3), "block_sparse_attention", "[1x2] "),
}


class Attention(nn.Module):
    """Attention of heads that are given, with a mask that is a constant of the model."""

    def __init__(self, mask: Tensor) -> None:
        super().__init__()
        self.masks = [mask]

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=self.masks[0])


def heads(batch: int, queries: int, keys: int, width: int = 32) -> tuple[Tensor, Tensor, Tensor]:
    rng = torch.Generator().manual_seed(0)
    return tuple(torch.randn(batch, 2, n, width, generator=rng) for n in (queries, keys, keys))  # pyright: ignore


def run(program: Program, inputs: tuple[Tensor, ...]) -> np.ndarray:
    given = {name: x.numpy() for name, x in zip("qkv", inputs, strict=True)}
    (found,) = program.run(given).outputs.values()
    return found


def attention_of(program: Program) -> OpReport:
    (found,) = (op for op in program.cost().ops if "attention" in op.name)
    return found


@pytest.mark.parametrize("name", NAMED)
def test_the_library_s_own_options_are_used_and_values_stay(name: str):
    seen, op_name, said = NAMED[name]
    model, inputs = Attention(seen if seen.dim() == 4 else seen[None, None]), heads(USERS, LENGTH, LENGTH)
    program, dense = ttstack.compile(model, inputs), ttstack.compile(model, inputs, without="fold-masks")
    op = attention_of(program)
    assert op.name == op_name
    assert str(op.attributes.get("mask_structure", op.attributes.get("sliding_window_size") or "")).startswith(said)
    assert program.cost().total_ns < dense.cost().total_ns
    np.testing.assert_allclose(run(program, inputs), model(*inputs).numpy(), atol=2e-6)
    np.testing.assert_allclose(run(program, inputs), run(dense, inputs), atol=2e-6)
    if name not in ("padding", "blocks"):  # whose mask is a parameter, in place of which others are drawn
        assert compare(program).differences == []


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_masks_have_the_values_of_dense_attention_and_are_never_predicted_slower(kind: Callable[[Rng], Mask]):
    for seed in range(3):
        seen = torch.from_numpy(draw(kind, seed).copy())
        model, inputs = Attention(seen), heads(max(2, seen.shape[0]), *seen.shape[2:])
        if seen.shape[0] not in (1, inputs[0].shape[0]) or seen.shape[1] > 2:
            continue
        program, dense = ttstack.compile(model, inputs), ttstack.compile(model, inputs, without="fold-masks")
        np.testing.assert_allclose(run(program, inputs), run(dense, inputs), atol=5e-6)
        assert program.cost().total_ns <= dense.cost().total_ns


COMPUTED = """func.func @f(%q: tensor<1x2x256x32xf32>) -> tensor<1x2x256x32xf32> {
  %i = "ttir.arange"() {start = 0 : si64, end = 256 : si64, step = 1 : si64, arange_dimension = 0 : i64}
    : () -> tensor<256x1xsi32>
  %j = "ttir.arange"() {start = 0 : si64, end = 256 : si64, step = 1 : si64, arange_dimension = 1 : i64}
    : () -> tensor<1x256xsi32>
  %rows = "ttir.broadcast"(%i) {broadcast_dimensions = array<i64: 1, 256>}
    : (tensor<256x1xsi32>) -> tensor<256x256xsi32>
  %columns = "ttir.broadcast"(%j) {broadcast_dimensions = array<i64: 256, 1>}
    : (tensor<1x256xsi32>) -> tensor<256x256xsi32>
  %seen = "ttir.le"(%columns, %rows) : (tensor<256x256xsi32>, tensor<256x256xsi32>) -> tensor<256x256xi1>
  %shown = "ttir.full"() {shape = array<i32: 1, 1>, fill_value = 0.0 : f32} : () -> tensor<1x1xf32>
  %hidden = "ttir.full"() {shape = array<i32: 1, 1>, fill_value = 0xFF800000 : f32} : () -> tensor<1x1xf32>
  %added = "ttir.where"(%seen, %shown, %hidden)
    : (tensor<256x256xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<256x256xf32>
  %mask = "ttir.reshape"(%added) {shape = [1 : i32, 1 : i32, 256 : i32, 256 : i32]}
    : (tensor<256x256xf32>) -> tensor<1x1x256x256xf32>
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %mask)
    {is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}
    : (tensor<1x2x256x32xf32>, tensor<1x2x256x32xf32>, tensor<1x2x256x32xf32>, tensor<1x1x256x256xf32>)
    -> tensor<1x2x256x32xf32>
  return %0 : tensor<1x2x256x32xf32>
}"""


@pytest.mark.parametrize("max_elements", [2**16, 2**13, 1])
def test_rows_of_a_large_mask_are_looked_at_some_at_a_time(max_elements: int):
    with new_context():
        module = ir.Module.parse(COMPUTED)
        Pipeline((FoldMasks(max_elements=max_elements),)).run(module)
        text = str(module)
    folded = max_elements > 256
    assert ("(%arg0, %arg0, %arg0)" in text) == folded


def test_a_mask_that_is_learned_is_kept_while_it_is_zero():
    class Biased(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bias = nn.Parameter(torch.zeros(1, 2, 64, 64))

        def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=self.bias)

    assert len(attention_of(ttstack.compile(Biased(), heads(1, 64, 64))).operands) == 4


def test_what_is_added_to_seen_scores_stays_and_hidden_ones_are_not_visited():
    slopes = torch.tensor([0.5, 0.25])[:, None, None]
    added = torch.where(K <= Q, -slopes * (Q - K), -torch.inf)[None]
    model, inputs = Attention(added), heads(USERS, LENGTH, LENGTH)
    program = ttstack.compile(model, inputs)
    op = attention_of(program)
    assert op.name == "block_sparse_attention"
    assert "f" not in op.attributes["mask_structure"]
    np.testing.assert_allclose(run(program, inputs), model(*inputs).numpy(), atol=2e-6)


def test_reports_say_what_share_of_the_tiles_is_visited():
    program = ttstack.compile(Attention(DOCUMENTS[None, None]), heads(1, LENGTH, LENGTH))
    report, share = program.cost(), float(DOCUMENTS.reshape(16, 32, 16, 32).any(3).any(1).float().mean())
    assert attention_of(program).visited_share == pytest.approx(share)
    assert {c.title: c.cell(report.ops[0]) for c in columns(report, report.ops)}["tiles%"] == percent(share)
    (op,) = json.loads(report.to_json())["ops"]
    assert op["visited_share"] == pytest.approx(share)
    _, row = csv.DictReader(io.StringIO(csv_text(report)))
    assert float(row["SCORE TILES VISITED (%)"]) == pytest.approx(100 * share)


def test_a_structure_that_its_operands_differ_from_is_refused():
    q, bounds = TensorType((1, 2, 64, 32), DType.BF16), TensorType((3,), DType.I32)
    said: dict[str, Any] = {"query": q, "key": q, "value": q, "mask_structure": "0,40:40..40,40:64"}
    op = BlockSparseAttention(**said, cu_window_seqlens=bounds)
    op.check_constants({3: np.asarray([0, 40, 64])})
    with pytest.raises(ValueError, match="does not match mask_structure"):
        op.check_constants({3: np.asarray([0, 32, 64])})
    faults: list[tuple[dict[str, Any], str]] = [
        ({"cu_window_seqlens": TensorType((4,), DType.I32)}, "of the documents"),
        ({"cu_window_seqlens": bounds, "is_causal": True}, "is no documents"),
        ({}, "takes an attention_mask with"),
        ({"attention_mask": q.with_shape((1, 1, 64, 64)), "attn_mask_block_map": bounds}, "is not one of"),
    ]
    for wrong, why in faults:
        with pytest.raises(ValueError, match=why):
            BlockSparseAttention(**said, **wrong).infer()
