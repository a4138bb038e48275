"""Modules in forms that once ended as internal faults: read, or refused with what to do."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ttstack
from ttstack.diagnostics import InvalidIRError, TTStackError, UnsupportedOpError

QUANTIZED = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<[0.52, 1.0, -0.25, 2.0]> : tensor<4xf32>
  %q = stablehlo.uniform_quantize %c : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.05>>
  %d = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.05>>) -> tensor<4xf32>
  %r = stablehlo.add %d, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
JOINED = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  cf.br ^bb1(%x : tensor<4xf32>)
^bb1(%y: tensor<4xf32>):
  %r = {add} %y, %x : {types}
  return %r : tensor<4xf32>
}}
"""
BRANCHES = """
func.func @main(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {{
  cf.cond_br %c, ^bb1(%x : tensor<4xf32>), ^bb2
^bb1(%y: tensor<4xf32>):
  %r = {add} %y, %x : {types}
  return %r : tensor<4xf32>
^bb2:
  return %x : tensor<4xf32>
}}
"""
SPELLINGS = {
    "stablehlo": {"add": "stablehlo.add", "types": "tensor<4xf32>"},
    "tosa": {"add": "tosa.add", "types": "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"},
}
SINK = """
func.func @main(%q: tensor<1x12x64x64xbf16>, %s: tensor<12x32xbf16>) -> tensor<1x12x64x64xbf16> {
  %r = "ttir.scaled_dot_product_attention"(%q, %q, %q, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}>
      : (tensor<1x12x64x64xbf16>, tensor<1x12x64x64xbf16>, tensor<1x12x64x64xbf16>, tensor<12x32xbf16>)
      -> tensor<1x12x64x64xbf16>
  return %r : tensor<1x12x64x64xbf16>
}
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "model.mlir"
    path.write_text(text)
    return path


def run(path: Path, **values: Any) -> np.ndarray[Any, Any]:
    program = ttstack.compile(path)
    (found,) = program.run(dict(zip(program.inputs(), values.values(), strict=True))).outputs.values()
    return found


def test_a_quantized_constant_stays_an_op(tmp_path: Path):
    found = run(written(tmp_path, QUANTIZED), x=np.zeros(4, np.float32))
    np.testing.assert_allclose(found, [0.5, 1.0, -0.25, 2.0], atol=1e-6)


@pytest.mark.parametrize("source", SPELLINGS)
def test_blocks_that_follow_one_another_are_one(source: str, tmp_path: Path):
    path = written(tmp_path, JOINED.format(**SPELLINGS[source]))
    np.testing.assert_allclose(run(path, x=np.arange(4, dtype=np.float32)), [0, 2, 4, 6])


@pytest.mark.parametrize("source", SPELLINGS)
def test_branches_between_blocks_are_refused(source: str, tmp_path: Path):
    with pytest.raises(InvalidIRError, match=r"function 'main' has 3 blocks[\s\S]*use an op with regions"):
        ttstack.compile(written(tmp_path, BRANCHES.format(**SPELLINGS[source])))


def test_a_sink_of_several_columns_is_refused(tmp_path: Path):
    with pytest.raises(TTStackError, match=r"attention_sink \[12, 32\] is not a score for each of 12 heads"):
        ttstack.compile(written(tmp_path, SINK))


def _model(node: onnx.NodeProto, inputs: list[Any], output: onnx.ValueInfoProto, opset: int, values: Any = ()) -> Any:
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(*i) for i in inputs], [output], values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def test_a_sequence_as_a_result_is_refused(tmp_path: Path):
    node = helper.make_node("SplitToSequence", ["x"], ["y"], axis=0)
    output = helper.make_tensor_sequence_value_info("y", TensorProto.FLOAT, None)
    onnx.save(_model(node, [("x", TensorProto.FLOAT, [4, 3])], output, 17), path := tmp_path / "model.onnx")
    with pytest.raises(UnsupportedOpError, match="the output 'y' is a sequence of 4 tensors"):
        ttstack.compile(path)


@pytest.mark.parametrize("dtype", [TensorProto.FLOAT, TensorProto.FLOAT16])
def test_scales_of_a_quantized_product_are_of_either_precision(dtype: int, tmp_path: Path):
    numbers = {"as": 0.0066, "az": 113, "bs": 0.00705, "bz": 114, "ys": 0.0107, "yz": 118}
    values = [helper.make_tensor(n, dtype if n[1] == "s" else TensorProto.UINT8, [], [v]) for n, v in numbers.items()]
    node = helper.make_node("QLinearMatMul", ["a", "as", "az", "b", "bs", "bz", "ys", "yz"], ["y"])
    output = helper.make_tensor_value_info("y", TensorProto.UINT8, [2, 3])
    shapes = [("a", TensorProto.UINT8, [2, 4]), ("b", TensorProto.UINT8, [4, 3])]
    onnx.save(_model(node, shapes, output, 21, values), path := tmp_path / "model.onnx")
    a = np.array([[208, 236, 0, 238], [3, 214, 255, 29]], np.uint8)  # of ONNX's own test of the op
    b = np.array([[152, 51, 244], [60, 26, 255], [0, 127, 246], [127, 254, 247]], np.uint8)
    assert run(path, a=a, b=b).tolist() == [[168, 115, 255], [1, 66, 151]]
