"""Forms that no kernel of the library takes become ops that it has; their values are those of `tests/forms`."""

import pytest

import ttstack
from tests.ops.text import module

POOL = "kernel = 2 : i32, stride = 1 : i32, padding = 0 : i32, ceil_mode = false, dilation = {} : i32"
REDUCE = "reduce_type = #ttcore.reduce_type<{}>, cluster_axis = 1 : ui32"
SCATTER = "dim = -1 : i32, scatter_reduce_type = #ttcore.reduce_type<{}>"
SDPA = "operandSegmentSizes = array<i32: 1, 1, 1, 0>"
WIDE = "kernel = 3 : i32, stride = 1 : i32, padding = 2 : i32, ceil_mode = false, dilation = 1 : i32"
WINDOWS = "dim = 0 : si32, begin = 0 : si32, length = 2 : si32, stride = 4 : si32"
LAST = "epsilon = 0.5 : f32, dimension = 3 : i32"
SHIFTED = "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>"
SHORT = ["1x2x4x32xf32", "1x2x6x32xf32", "1x2x6x32xf32"]
DECODE = "scaled_dot_product_attention_decode"
CACHED = "operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>"
CACHE = ["1x2x4x64xf32", "2x1x30x64xf32", "2x1x30x32xf32", "2xi32"]


@pytest.mark.parametrize(
    ("op", "attributes", "operands", "result", "becomes"),
    [
        ("slice_static", "begins = [7 : i32], ends = [2 : i32], step = [-1 : i32]", ["8xf32"], "5xf32", {"reverse"}),
        ("index", "dim = 0 : i32, begin = 7 : i32, end = 2 : i32, step = -1 : i32", ["8xf32"], "5xf32", {"reverse"}),
        ("pad", "padding = array<i32: -1, 2>, value = 0.0 : f32", ["8xf32"], "9xf32", {"slice_static", "pad"}),
        ("pad", "padding = array<i32: -1, -2>, value = 0.0 : f32", ["8xf32"], "5xf32", {"slice_static"}),
        ("linear", "", ["4x8xf32", "8x4xf32", "3x4x4xf32"], "3x4x4xf32", {"matmul", "add"}),
        ("avg_pool2d", POOL.format(2), ["1x8x8x4xf32"], "1x6x6x4xf32", {"slice_static", "add", "div"}),
        ("avg_pool2d", POOL.format(1), ["1x8x8x4xf32"], "1x7x7x4xf32", {"avg_pool2d"}),
        ("max_pool2d", POOL.format(2), ["1x8x8x4xf32"], "1x6x6x4xf32", {"max_pool2d"}),
        ("all_reduce", REDUCE.format("max"), ["4x8xf32"], "4x8xf32", {"all_gather", "max"}),
        ("all_reduce", REDUCE.format("sum"), ["4x8xf32"], "4x8xf32", {"all_reduce"}),
        ("max_pool2d", WIDE, ["1x6x6x4xf32"], "1x8x8x4xf32", {"max_pool2d", "pad"}),
        ("avg_pool2d", WIDE, ["1x6x6x4xf32"], "1x8x8x4xf32", {"slice_static", "add"}),
        ("upsample2d", 'scale_factor = 2 : si32, mode = "bilinear"', ["1x3x4x2xf32"], "1x6x8x2xf32", {"pad"}),
        ("rearrange", 'pattern = "a b c -> c a b"', ["2x4x8xf32"], "8x2x4xf32", {"permute"}),
        ("index_select", WINDOWS, ["9xf32"], "5xf32", {"pad", "slice_static"}),
        ("scatter", SCATTER.format("max"), ["4x8xf32", "3x5xi32", "3x6xf32"], "4x8xf32", {"eq", "where", "max"}),
        ("scatter", SCATTER.format("min"), ["8xi32", "5xi32", "5xi32"], "8xi32", {"eq", "where", "min"}),
        ("scatter", SCATTER.format("prod"), ["4x8xf32", "3x5xi32", "3x6xf32"], "4x8xf32", {"scatter"}),
        ("layer_norm", "normalized_shape = array<i64: 3, 8>", ["4x3x8xf32"], "4x3x8xf32", {"layer_norm", "reshape"}),
        ("batch_norm_inference", LAST, ["2x3x4x5xf32", *["5xf32"] * 4], "2x3x4x5xf32", {"rsqrt", "multiply"}),
        ("group_norm", "num_groups = 2 : i64", ["2x3x4x6xf32"], "2x3x4x6xf32", {"mean", "rsqrt"}),
        ("gelu_bw", "", ["1x8xf32", "4x8xf32"], "4x8xf32", {"gelu_bw", "broadcast"}),
        ("rotary_embedding", "interleaved = true", ["2x3x6xf32"] * 3, "2x3x6xf32", {"matmul"}),
        ("scaled_dot_product_attention", SHIFTED, SHORT, "1x2x4x32xf32", {"scaled_dot_product_attention"}),
        (DECODE, CACHED, CACHE, "1x2x4x32xf32", {DECODE, "pad", "slice_static"}),
        ("sdpa_fw", SDPA, ["2x32x64xf32"] * 3, "2x32x64xf32", {"scaled_dot_product_attention"}),
    ],
)
def test_a_form_without_a_kernel(op: str, attributes: str, operands: list[str], result: str, becomes: set[str]):
    program = ttstack.compile(module(op, attributes, operands, [result]))
    (function,) = program.binary.functions
    names = {operation.name for operation in function.operations}
    assert becomes <= names
    assert op in becomes or op in ("slice_static", "index", "upsample2d") or op not in names
    assert program.cost().kernel_ns > 0


@pytest.mark.parametrize("kind", ["max", "min"])
def test_reductions_over_devices_that_are_no_sums_cost_what_they_consist_of(kind: str):
    def cost(reduce_type: str) -> float:
        text = module("all_reduce", REDUCE.format(reduce_type), ["64x4096xbf16"], ["64x4096xbf16"])
        return ttstack.compile(text, system_desc="wormhole_n300").cost().total_ns

    assert cost(kind) > cost("sum")
