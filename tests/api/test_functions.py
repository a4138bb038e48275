"""Functions of a program, their arguments and results."""

import numpy as np
import pytest

from tests.api.programs import T, compiled, function, op_names, outputs
from ttstack.diagnostics import InputError


def test_every_public_function_is_a_program():
    t = "tensor<4xf32>"
    text = "\n".join(
        f'func.func @{n}(%a: {t}) -> {t} {{ %0 = "ttir.{n}"(%a) : ({t}) -> {t}\nreturn %0 : {t} }}'
        for n in ("exp", "neg")
    )
    program = compiled(text)
    assert [f.name for f in program.binary.functions] == ["exp", "neg"]
    assert program.run({"arg0": np.ones(4, np.float32)}, function="neg").outputs["output"].tolist() == [-1] * 4
    with pytest.raises(InputError, match="a function must be named; the program has exp, neg"):
        program.run()
    with pytest.raises(InputError, match="there is no function 'log'"):
        program.cost("log")


def test_private_functions_are_inlined():
    text = """
    func.func private @square(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "ttir.multiply"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @square(%a) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = call @square(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    """
    (out,) = outputs(text, np.full(4, 2, np.float32))
    assert out.tolist() == [16] * 4


def test_an_argument_can_be_returned_twice():
    a = np.arange(4, dtype=np.float32)
    first, second = outputs(function("%a: tensor<4xf32>", "", "%a, %a : tensor<4xf32>, tensor<4xf32>"), a)
    np.testing.assert_array_equal(first, a)
    np.testing.assert_array_equal(second, a)


def test_no_ops_cost_nothing():
    program = compiled(function("%a: tensor<4xf32>", "", "%a : tensor<4xf32>"))
    assert program.cost().total_ns == 0
    assert not program.cost().ops


def test_a_result_that_nothing_uses_is_not_computed():
    lines = f'%0 = "ttir.exp"(%a) : ({T}) -> {T}\n%1 = "ttir.neg"(%a) : ({T}) -> {T}'
    assert op_names(compiled(function(f"%a: {T}", lines, f"%1 : {T}"))) == ["neg"]


def test_equal_ops_are_computed_once():
    lines = f'%0 = "ttir.exp"(%a) : ({T}) -> {T}\n%1 = "ttir.exp"(%a) : ({T}) -> {T}'
    program = compiled(function(f"%a: {T}", lines, f"%0, %1 : {T}, {T}"))
    assert op_names(program) == ["exp"]
    assert len(program.outputs()) == 2
