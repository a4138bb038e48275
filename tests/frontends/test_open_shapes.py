"""Modules that leave extents open are compiled for the shapes that the user gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttstack
from ttstack.diagnostics import InvalidIRError, SourceError

STABLEHLO = """
func.func private @halves(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %h = stablehlo.constant dense<0.5> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<3> : tensor<1xi32>
  %s = stablehlo.concatenate %n1, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %h, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  %r = stablehlo.multiply %x, %b : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
func.func @scaled(%x: tensor<?x3xf32> loc("batch"), %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %h = call @halves(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %r = stablehlo.add %h, %y : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
"""
"""JAX writes such a module where extents are symbolic."""

TOSA = """
func.func @flat(%x: tensor<?x4x2xf32>) -> tensor<?x8xf32> {
  %s = tosa.const_shape {values = dense<[-1, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %s : (tensor<?x4x2xf32>, !tosa.shape<2>) -> tensor<?x8xf32>
  %e = tosa.tanh %r : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %e : tensor<?x8xf32>
}
"""

ON_VALUES = """
func.func @main(%x: tensor<?xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {
  %r = stablehlo.dynamic_reshape %x, %n : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


@pytest.mark.parametrize("rows", [1, 5])
def test_stablehlo_is_compiled_for_the_shapes_that_are_given(rows: int):
    program = ttstack.compile(STABLEHLO, inputs={"batch": (rows, 3), "arg1": f"{rows}x3"})
    x, y = np.random.default_rng(0).standard_normal((2, rows, 3), np.float32)
    (found,) = program.run({"batch": x, "arg1": y}).outputs.values()
    np.testing.assert_allclose(found, x / 2 + y, rtol=1e-6)


def test_tosa_is_compiled_for_the_shapes_that_are_given(tmp_path: Path):
    path = tmp_path / "flat.mlir"
    path.write_text(TOSA)
    program = ttstack.compile(path, inputs=(np.zeros((5, 4, 2), np.float32),))
    x = np.random.default_rng(0).standard_normal((5, 4, 2), np.float32)
    (found,) = program.run({"arg0": x}).outputs.values()
    np.testing.assert_allclose(found, np.tanh(x).reshape(5, 8), rtol=1e-5)


@pytest.mark.parametrize(
    ("inputs", "notes"),
    [
        (None, ["input 'batch' is tensor<?x3xf32>", "input 'arg1' is tensor<?x3xf32>, at <text>:12"]),
        ({"batch": (5, 3)}, ["input 'arg1' is tensor<?x3xf32>, at <text>:12"]),
        (
            {"z": (1,), "batch": (5, 4), "arg1": "q"},
            [
                "there is no input 'z'",
                "input 'batch' is tensor<?x3xf32> in the model, and given as 5x4",
                "input 'arg1' is given as 'q', which is not a shape",
            ],
        ),
    ],
)
def test_shapes_that_do_not_fit_are_listed(inputs: Any, notes: list[str]):
    with pytest.raises(SourceError, match="the inputs of 'scaled' cannot be compiled as they are") as error:
        ttstack.compile(STABLEHLO, inputs=inputs)
    assert [note.removesuffix(", at batch") for note in error.value.diagnostic.notes] == notes
    assert "--input arg1=?x3" in (error.value.diagnostic.hint or "")


def test_shapes_that_contradict_each_other_are_refused():
    with pytest.raises(InvalidIRError, match="the shapes of its inputs do not fit the module"):
        ttstack.compile(STABLEHLO, inputs={"batch": (5, 3), "arg1": (6, 3)})


def test_extents_that_values_decide_are_refused():
    with pytest.raises(SourceError, match="extents are known only in a run") as error:
        ttstack.compile(ON_VALUES, inputs={"arg0": (4,)})
    assert error.value.diagnostic.notes == ("`stablehlo.dynamic_reshape`, tensor<?xf32>, at <text>:3",)


def test_shapes_are_those_of_one_function():
    text = STABLEHLO.replace("private ", "")
    with pytest.raises(SourceError, match="has several: halves, scaled") as error:
        ttstack.compile(text, inputs={"batch": (5, 3), "arg1": (5, 3)})
    assert error.value.diagnostic.hint == "add --function NAME"
    program = ttstack.compile(text, inputs={"batch": (5, 3), "arg1": (5, 3)}, function="scaled")
    assert [str(t) for t in program.inputs().values()] == ["tensor<5x3xf32>"] * 2


@pytest.mark.parametrize("inputs", [None, {"x": (4, 8)}])
def test_ttir_leaves_no_extent_open(inputs: Any):
    text = """
func.func @f(%x: tensor<?x8xf32> {ttir.name = "x"}) -> tensor<?x8xf32> {
  %r = "ttir.relu"(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
"""
    with pytest.raises(InvalidIRError, match=r"type tensor<\?x8xf32> has a dynamic shape") as error:
        ttstack.compile(text, inputs=inputs)
    assert error.value.diagnostic.loc == "<text>:3:8"
    assert "write numbers in its text" in str(error.value.diagnostic.hint)
    assert "--input and inputs= close" in str(error.value.diagnostic.hint)
