"""What float32 costs a program: its ops again, with bf16 tensors."""

from dataclasses import replace

import pytest

import ttstack
from ttstack.options.choices import Choices
from ttstack.placement.options import Formats
from ttstack.program.records import Output
from ttstack.report.float32 import FORMATS, float32_cost, proposed_bf16

TEXT = """
func.func @forward(%x: tensor<2048x1024xf32>, %y: tensor<2048x1024xf32>) -> tensor<2048x1024xf32> {
  %0 = "ttir.add"(%x, %y) : (tensor<2048x1024xf32>, tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  %1 = "ttir.exp"(%0) : (tensor<2048x1024xf32>) -> tensor<2048x1024xf32>
  return %1 : tensor<2048x1024xf32>
}
"""


def test_ops_are_priced_again_in_the_same_places():
    program = ttstack.compile(TEXT, placement="dram")
    cost = float32_cost(program.binary, program.function())
    assert cost is not None
    assert cost.total_ns == pytest.approx(program.cost().total_ns)
    in_bf16 = ttstack.compile(TEXT, placement="dram", dtype="bf16").cost().total_ns
    assert cost.bf16_ns == pytest.approx(in_bf16, rel=1e-3)
    assert cost.saved_share == pytest.approx(1 - in_bf16 / cost.total_ns, abs=1e-3)
    assert "this model is float32" in str(cost)


def test_casts_to_bf16_are_no_ops_then():
    text = TEXT.replace('"ttir.exp"(%0)', '"ttir.typecast"(%0)').replace(
        ": (tensor<2048x1024xf32>) -> tensor<2048x1024xf32>", ": (tensor<2048x1024xf32>) -> tensor<2048x1024xbf16>"
    )
    text = text.replace("return %1 : tensor<2048x1024xf32>", "return %1 : tensor<2048x1024xbf16>")
    text = text.replace(") -> tensor<2048x1024xf32> {", ") -> tensor<2048x1024xbf16> {")
    program = ttstack.compile(text, placement="dram")
    cost = float32_cost(program.binary, program.function())
    assert cost is not None
    assert cost.bf16_ns < program.cost().ops[0].elapsed_ns


@pytest.mark.parametrize("options", [{"dtype": "bf16"}, {"precision": "performance"}])
def test_other_formats_have_no_such_cost(options: Choices):
    program = ttstack.compile(TEXT, **options)
    assert float32_cost(program.binary, program.function()) is None


@pytest.mark.parametrize(("options", "proposed"), [({}, True), ({"dtype": "f32"}, False)])
def test_bf16_is_proposed_where_no_format_was_chosen(options: Choices, proposed: bool):
    program = ttstack.compile(TEXT, **options)
    assert (proposed_bf16(program.binary, program.function()) is not None) == proposed


def test_bf16_is_not_proposed_for_training_nor_where_it_saves_nothing():
    program = ttstack.compile(TEXT)
    function = program.function()
    step = replace(function, outputs=(Output("loss", function.outputs[0].tensor),))
    assert proposed_bf16(program.binary, step) is None
    assert proposed_bf16(program.binary, replace(function, operations=())) is None


def test_options_of_formats_are_those_of_placement():
    assert set(FORMATS) == set(Formats.model_fields)
