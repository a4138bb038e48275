"""What a user may call a model, and what is said where it is none."""

import pytest

import ttstack
from ttstack.diagnostics import InvalidIRError, SourceError, TTStackWarning, UnsupportedOpError
from ttstack.dialects.text import print_module
from ttstack.frontends.source import import_model
from ttstack.passes.base import parse_pipeline
from ttstack.passes.pipelines import PIPELINES

EXP = 'func.func @f(%a: tensor<4x8xf32>) -> tensor<4x8xf32> { %0 = "ttir.exp"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32> return %0 : tensor<4x8xf32> }'


def test_text_of_one_line():
    assert [op.name for op in ttstack.compile(EXP).cost().ops] == ["exp"]


@pytest.mark.parametrize("source", ["", "missing.mlir"])
def test_no_such_file(source: str):
    with pytest.raises(SourceError, match=f"'{source}' does not exist"):
        ttstack.compile(source)


def test_inputs_of_a_module_are_its_own():
    with pytest.raises(SourceError, match="TTIR has the shapes of its inputs"):
        ttstack.compile(EXP, {"a": (4, 8)})


def test_arguments_and_results_are_tensors():
    text = """
    func.func @f(%a: f32, %t: tensor<?x4xf32>, %b: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>) {
      return %t, %b : tensor<?x4xf32>, tensor<4xf32>
    }
    """
    with pytest.raises(InvalidIRError, match="function 'f' has an input or output that is not a tensor") as e:
        ttstack.compile(text)
    assert e.value.diagnostic.loc == "<text>:2"
    assert [note.partition(": ")[0] for note in e.value.diagnostic.notes] == ["argument 0", "argument 1", "result 0"]


def test_an_attribute_that_is_misspelled_is_not_passed_over():
    text = EXP.replace('"ttir.exp"(%a)', '"ttir.softmax"(%a) {dimension = 1 : si32, numericStabel = true}')
    with pytest.warns(TTStackWarning, match="'numericStabel' of ttir.softmax \\(did you mean 'numericStable'"):
        assert len(ttstack.compile(text).cost().ops) == 1


def test_attributes_that_tt_mlir_adds_to_convolutions_are_ignored():
    text = """
    func.func @f(%x: tensor<1x8x8x32xbf16>, %w: tensor<32x32x3x3xbf16>) -> tensor<1x8x8x32xbf16> {
      %0 = "ttir.conv2d"(%x, %w) {dilation = 1 : i32, groups = 1 : i32, padding = 1 : i32, stride = 1 : i32, OTHERS}
          : (tensor<1x8x8x32xbf16>, tensor<32x32x3x3xbf16>) -> tensor<1x8x8x32xbf16>
      return %0 : tensor<1x8x8x32xbf16>
    }
    """
    others = "channel_last = 1 : si32, stride_transpose = array<i32: 0, 0>"
    with pytest.warns(TTStackWarning, match=r"'channel_last' of ttir\.conv2d .*'stride_transpose' of ttir\.conv2d"):
        program = ttstack.compile(text.replace("OTHERS", others))
    assert program.cost().total_ns == ttstack.compile(text.replace(", OTHERS", "")).cost().total_ns


def test_attributes_of_others_are_welcome():
    text = EXP.replace('"ttir.exp"(%a)', '"ttir.exp"(%a) {note = "hot", other.dimension = 1}')
    assert len(ttstack.compile(text).cost().ops) == 1


def test_a_lowered_module_is_not_compiled_again():
    with import_model(EXP) as found:
        parse_pipeline("ttir-to-ttnn", PIPELINES).run(found.module)
        text = print_module(found.module)
    with pytest.raises(UnsupportedOpError) as e:
        ttstack.compile(text)
    assert "lowered already" in (e.value.diagnostic.hint or "")


@pytest.mark.parametrize(
    "op",
    [
        "elsewhere.exp %a : tensor<4x8xf32>",
        '"elsewhere.exp"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>',
        '"ttir.exp"(%a) {key = #elsewhere.key<1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>',
        '"ttir.exp"(%a) : (tensor<4x8xf32>) -> !elsewhere.array<4>',
    ],
)
def test_a_dialect_that_is_not_known(op: str):
    text = EXP.replace('"ttir.exp"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>', op)
    with pytest.raises(UnsupportedOpError, match="the dialect 'elsewhere' is not known here") as e:
        ttstack.compile(text)
    assert e.value.diagnostic.notes == ()


def test_shardings_are_to_be_left_out():
    text = f'sdy.mesh @mesh = <["a"=1]>\n{EXP}'
    with pytest.raises(UnsupportedOpError, match=r"the dialect 'sdy' is not known here\n.*\n.*without shardings"):
        ttstack.compile(text)
