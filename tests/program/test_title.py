"""What the first line about a program says: model, input shape, formats, device."""

from dataclasses import replace

import pytest

import ttstack
from ttstack.ops.types import DType
from ttstack.options.choices import Choices
from ttstack.program.formats import program_formats
from ttstack.program.title import model_name, program_title

TEXT = """
module {
  func.func public @forward(%cache: tensor<1x2x64x32xf32>, %x: tensor<2x4x32x32xf32>, %w: tensor<32x32xf32>
      {ttir.name = "w", ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<2x4x32x32xf32> {
    %y = "ttir.matmul"(%x, %w) : (tensor<2x4x32x32xf32>, tensor<32x32xf32>) -> tensor<2x4x32x32xf32>
    return %y : tensor<2x4x32x32xf32>
  }
}
"""
SHORT = TEXT.replace("%cache: tensor<1x2x64x32xf32>, ", "")


@pytest.mark.parametrize(
    ("options", "formats"),
    [
        ({}, "float32"),
        ({"dtype": "bf16"}, "bf16"),
        ({"dtype": "bf16", "weights_dtype": "bfp8_b"}, "bf16, weights bfp8_b"),
        ({"weights_dtype": "bfp4_b"}, "float32, weights bfp4_b"),
    ],
)
def test_formats_are_those_of_most_elements(options: Choices, formats: str):
    program = ttstack.compile(SHORT, **options)
    function = program.function()
    assert str(program_formats(function)) == formats
    assert program_formats(function).emulates_float32 is formats.startswith("float32")
    assert program.cost().heading == f"forward, 2x4x32x32, {formats} on n150, ttnn 0.81"


def test_parts_of_float32_tables_are_float32():
    program = ttstack.compile("""
func.func @forward(%i: tensor<64xi64>, %w: tensor<1000x64xf32> {ttir.name = "w",
    ttcore.argument_type = #ttcore.argument_type<parameter>}, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.embedding"(%i, %w) : (tensor<64xi64>, tensor<1000x64xf32>) -> tensor<64x64xf32>
  %1 = "ttir.add"(%0, %y) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
""")
    assert [op.name for op in program.cost().ops].count("embedding") == 3
    assert str(program_formats(program.function())) == "float32"


def test_integers_count_where_there_are_no_reals():
    text = SHORT.replace("f32>", "si32>").replace('"ttir.matmul"(%x, %w)', '"ttir.add"(%x, %x)')
    text = text.replace(
        "(tensor<2x4x32x32xsi32>, tensor<32x32xsi32>)", "(tensor<2x4x32x32xsi32>, tensor<2x4x32x32xsi32>)"
    )
    assert program_formats(ttstack.compile(text).function()).activations == (DType.SI32,)


def test_a_program_has_the_name_of_its_model(tmp_path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "small.mlir").write_text(SHORT)
    program = ttstack.compile(tmp_path / "small.mlir")
    program.save(tmp_path / "other.ttb")
    loaded = ttstack.load(tmp_path / "other.ttb")
    assert str(program_title(loaded.binary, loaded.function())) == "small, 2x4x32x32, float32 on n150, ttnn 0.81"
    assert loaded.recompile(SHORT).cost().heading.startswith("small, ")


def test_a_name_is_added_to_functions_of_several():
    program = ttstack.compile(SHORT)
    two = replace(program.binary, functions=program.binary.functions * 2, options='{"model": "bert"}')
    assert program_title(two, program.function()).model == "bert.forward"


@pytest.mark.parametrize(
    "options", ["", "[]", "{", '{"model": 1}', '{"model": "a\\u001b[2J"}', '{"model": "' + 99 * "a" + '"}']
)
def test_names_in_files_that_do_not_fit_are_left_out(options: str):
    program = ttstack.compile(SHORT)
    assert program_title(replace(program.binary, options=options), program.function()).model == "forward"


def test_names_of_sources():
    assert model_name("nets.mynet:dit") == "mynet.dit"
    assert model_name("models/bert.onnx") == "bert"
    assert model_name("module {\n}\n") == ""
