"""Ops that the library is asked for in several calls: what is priced is what is emitted."""

import re

import pytest

import ttstack
from tests.forms.form import function
from tests.ttnn_python.values import compare
from ttstack.diagnostics import UnsupportedOpError
from ttstack.report.groups import group_ops

DECOMPOSED = {
    "concatenate_heads": ("2x4x8x16xbf16", "2x8x64xbf16", "", "permute reshape"),
    "concatenate_heads of more than a core has room for": (
        "1x128x32x128xbf16",
        "1x32x16384xbf16",
        "",
        "slice_static concatenate_heads slice_static concatenate_heads concat",
    ),
    "split_heads": ("2x8x64xbf16", "2x4x8x16xbf16", "num_heads = 4 : ui32", "reshape permute"),
    "embedding_bag": ("16x4xi32 100x64xbf16", "16x64xbf16", 'mode = "sum"', "embedding sum"),
    "embedding": ("2x4x8xi32 100x64xbf16", "2x4x8x64xbf16", "", "reshape embedding reshape"),
    "matmul": ("8x32xbf16 2x32x64xbf16", "2x8x64xbf16", "", "repeat matmul"),
    "where": ("32x32xi1 32x32xf32 32x32xbf16", "32x32xf32", "", "typecast where"),
    "rotary_embedding": (
        "2x3x5x8xbf16 1x1x5x8xbf16 1x1x5x8xbf16",
        "2x3x5x8xbf16",
        "",
        "slice_static slice_static neg concat multiply multiply add",
    ),
}
"""Operands, result and attributes, and the kernels of each; after the op's name, what is special."""


POOLED = function(
    "f", "embedding_bag", ["16x4xi32", "100x64xf32"], ["16x64xf32"], 'mode = "max", padding_idx = 3 : i64'
)


def test_rows_of_a_table_of_f32_are_sums_of_rows_of_three_tables_of_bf16():
    program = ttstack.compile(function("f", "embedding", ["4x8xi32", "100x64xf32"], ["4x8x64xf32"], ""), dtype="f32")
    (op,) = program.cost().ops
    names = [call.name for call in op.calls]
    assert names.count("embedding") == 3
    assert names.count("subtract") == names.count("add") == 2
    assert compare(program).differences == []


@pytest.mark.parametrize("dtype", ["bf16", "f32"])
def test_the_greatest_rows_of_bags_that_count_have_calls(dtype: str):
    found = compare(ttstack.compile(POOLED, dtype=dtype))
    assert (found.ops, found.differences) == (1, [])


@pytest.mark.parametrize("name", DECOMPOSED)
def test_the_calls_of_an_op_are_those_that_are_priced(name: str):
    operands, result, attributes, kernels = DECOMPOSED[name]
    name = name.split(maxsplit=1)[0]
    program = ttstack.compile(function("f", name, operands.split(), result.split(), attributes))
    (op,) = (op for op in program.cost().ops if op.name == name)
    assert [call.name for call in op.calls] == kernels.split()
    assert sum(call.elapsed_ns for call in op.calls) == pytest.approx(op.elapsed_ns)
    emitted = program.to_python().partition("def forward")[2].partition("return")[0]
    emitted = emitted.replace("ttnn.transpose(", "ttnn.permute(")  # of two dimensions
    called = set(re.findall(r"ttnn\.(?:transformer\.)?([a-z_]+)\(", emitted)) - {
        "deallocate",
        "to_layout",
        "to_memory_config",
    }
    assert called | {"reshape"} == {kernel.removesuffix("_static") for kernel in kernels.split()} | {"reshape"}
    (group,) = (g for g in group_ops(program.cost().ops, "calls").groups if g.name.startswith(name))
    assert group.name == f"{name} = {' + '.join(kernels.split())}"


def test_rows_of_several_formats_are_cast_before_they_are_joined():
    """A constant stays in f32 where the rest is bf16; the library untilizes to the format that is there."""
    token = ", ".join(f"{i / 64}" for i in range(64))
    text = (
        "func.func @f(%x: tensor<1x17x64xf32>) -> tensor<1x18x64xf32> {\n"
        f'  %c = "ttir.constant"() {{value = dense<[[[{token}]]]> : tensor<1x1x64xf32>}} : () -> tensor<1x1x64xf32>\n'
        '  %0 = "ttir.sin"(%x) : (tensor<1x17x64xf32>) -> tensor<1x17x64xf32>\n'
        '  %1 = "ttir.concat"(%c, %0) {dim = 1 : si32} : (tensor<1x1x64xf32>, tensor<1x17x64xf32>) -> tensor<1x18x64xf32>\n'
        "  return %1 : tensor<1x18x64xf32>\n}"
    )
    program = ttstack.compile(text, dtype="bf16", without="concat-rows-by-matmul")
    (joined,) = (op for op in program.cost().ops if op.name == "concat")
    assert {str(operand.layout.dtype) for operand in joined.operands} == {"f32", "bf16"}
    assert not re.search(r"ROW_MAJOR_LAYOUT,\s*dtype", program.to_python())
    assert compare(program).differences == []


@pytest.mark.parametrize(("width", "emitted"), [(256, True), (512, False)])
def test_neighbours_of_heads_that_are_too_wide_have_no_call(width: int, emitted: bool):
    """The library refuses heads of more than 256 columns."""
    operands = [f"1x2x32x{width}xbf16", *[f"1x1x32x{width}xbf16"] * 2, "1x1x32x32xbf16"]
    text = function("f", "rotary_embedding", operands, [operands[0]], "interleaved = true")
    program = ttstack.compile(text)
    if emitted:
        assert "rotary_embedding_llama" in program.to_python()
    else:
        with pytest.raises(UnsupportedOpError, match="1 of 1 ops of 'f' have no ttnn call"):
            program.to_python()
