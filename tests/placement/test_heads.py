"""Heads of attention in shards: as it writes them, they are joined where they lie and multiplied from there."""

import numpy as np
import pytest

import ttstack
from ttstack.device.layout import Grid, MemoryLayout
from ttstack.ops.types import DType, TensorType
from ttstack.placement.head_shards import head_grid
from ttstack.program.records import Operation
from ttstack_runtime.memory_check import check_memory

DEVICE = Grid(8, 8)


def text(batch: int, heads: int, rows: int) -> str:
    width = 64 * heads
    x, apart, joined = (
        f"tensor<{s}xbf16>" for s in (f"{batch}x{heads}x{rows}x64", f"{width}x{width}", f"{batch}x{rows}x{width}")
    )
    attention = "is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>"
    return f"""
    func.func @f(%q: {x}, %k: {x}, %v: {x}, %w: {apart}) -> {joined} {{
      %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) {{{attention}}} : ({x}, {x}, {x}) -> {x}
      %1 = "ttir.concatenate_heads"(%0) : ({x}) -> {joined}
      %2 = "ttir.matmul"(%1, %w) : ({joined}, {apart}) -> {joined}
      return %2 : {joined}
    }}"""


def named(program: ttstack.Program, name: str) -> Operation:
    return next(op for op in program.function().operations if op.name == name)


@pytest.mark.parametrize(("batch", "heads", "rows", "grid"), [(8, 12, 197, Grid(8, 6)), (8, 16, 384, Grid(8, 8))])
def test_heads_stay_on_their_cores_from_attention_to_the_product(batch: int, heads: int, rows: int, grid: Grid):
    program = ttstack.compile(text(batch, heads, rows), precision="throughput")
    function, chip = program.function(), program.binary.system_desc.chips[0]
    joined, product = (function.device_op(named(program, name)) for name in ("concatenate_heads", "matmul"))
    layouts = [(of.memory_layout, of.grid) for of in (*joined.operands, *joined.results, product.operands[0])]
    assert layouts == [(MemoryLayout.HEIGHT_SHARDED, grid), *[(MemoryLayout.BLOCK_SHARDED, grid)] * 2]
    check_memory(function, chip)


def test_values_are_those_of_pages():
    inputs = {
        n: np.random.default_rng(0).standard_normal(t.shape, np.float32)
        for n, t in ttstack.compile(text(2, 4, 40)).inputs().items()
    }
    asked = {"location": "*", "name": "concatenate_heads", "layout": "block_sharded"}
    shards, pages = (
        ttstack.compile(text(2, 4, 40), overrides={"ops": [asked]}),
        ttstack.compile(text(2, 4, 40), placement="dram"),
    )
    (got,), (want,) = (p.run(inputs).outputs.values() for p in (shards, pages))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("shape", "grid"),
    [
        ((8, 12, 64, 64), Grid(8, 6)),
        ((2, 20, 64, 64), Grid(2, 5)),
        ((9, 12, 64, 64), None),
        ((1, 12, 64, 64), None),
        ((2, 71, 64, 64), None),
        ((8, 12, 64, 40), None),
    ],
)
def test_a_row_of_cores_has_the_heads_of_one_of_a_batch(shape: tuple[int, ...], grid: Grid | None):
    assert head_grid(TensorType(shape, DType.BF16), DEVICE) == grid


def step(angles: str) -> str:
    """Heads of 32 users, one token each, split out of columns; queries and keys are turned, and keys cached."""
    q, k = "tensor<1x32x14x64xbf16>", "tensor<1x32x2x64xbf16>"
    x, t, c, i = "tensor<1x32x1152xbf16>", f"tensor<{angles}xbf16>", "tensor<32x2x128x64xbf16>", "tensor<32xi32>"
    attention = "is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>"
    return f"""
    func.func @f(%x: {x}, %cos: {t}, %sin: {t}, %c: {c}, %i: {i}) -> {q} {{
      %y = "ttir.exp"(%x) : ({x}) -> {x}
      %q, %k, %v = "ttir.split_query_key_value_decode"(%y) {{num_heads = 14 : ui32, num_kv_heads = 2 : ui32}}
        : ({x}) -> ({q}, {k}, {k})
      %0 = "ttir.rotary_embedding"(%q, %cos, %sin) : ({q}, {t}, {t}) -> {q}
      %1 = "ttir.rotary_embedding"(%k, %cos, %sin) : ({k}, {t}, {t}) -> {k}
      %2 = "ttir.paged_update_cache"(%c, %1, %i) {{share_cache = false, operandSegmentSizes = array<i32: 1, 1, 1, 0>}}
        : ({c}, {k}, {i}) -> {c}
      %3 = "ttir.scaled_dot_product_attention_decode"(%0, %2, %2, %i) {{{attention}}} : ({q}, {c}, {c}, {i}) -> {q}
      return %3 : {q}
    }}"""


USERS = MemoryLayout.HEIGHT_SHARDED, Grid(4, 8)


@pytest.mark.parametrize("angles", ["1x1x1x64", "1x32x1x64"])
def test_heads_of_one_token_stay_in_the_shards_in_which_they_are_split(angles: str):
    program = ttstack.compile(step(angles))
    function, chip = program.function(), program.binary.system_desc.chips[0]
    split, *turned = (
        function.device_op(op)
        for op in function.operations
        if op.name in ("split_query_key_value_decode", "rotary_embedding")
    )
    layouts = [*split.results, *(layout for op in turned for layout in (op.operands[0], *op.results))]
    assert [(of.memory_layout, of.grid) for of in layouts] == [USERS] * len(layouts)
    update = function.device_op(named(program, "paged_update_cache"))
    assert (update.operands[1].memory_layout, update.operands[1].grid) == USERS
    check_memory(function, chip)
    pages = ttstack.compile(step(angles), placement="dram").cost()
    assert program.cost().total_ns < 0.8 * pages.total_ns


@pytest.mark.parametrize("angles", ["1x1x1x64", "1x32x1x64"])
def test_values_of_one_token_are_those_of_pages(angles: str):
    shards, pages = ttstack.compile(step(angles)), ttstack.compile(step(angles), placement="dram")
    inputs: dict[str, np.ndarray] = {
        n: np.random.default_rng(0).standard_normal(t.shape, np.float32) for n, t in shards.inputs().items()
    }
    inputs["arg4"] = np.arange(32, dtype=np.int32)
    (got,), (want,) = (p.run(inputs).outputs.values() for p in (shards, pages))
    np.testing.assert_array_equal(got, want)
