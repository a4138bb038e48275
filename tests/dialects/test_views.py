"""Views of ops: operands by name, None where an optional one is absent."""

import pytest

from ttstack.dialects.context import new_context
from ttstack.dialects.ttir import views
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.passes.functions import body, functions

X = "tensor<32x32xf32>"


@pytest.mark.parametrize("biases", [0, 1])
def test_an_optional_operand_at_the_end_may_be_absent(biases: int):
    names, types = ", ".join(["%x", "%x", *["%x"] * biases]), ", ".join([X] * (2 + biases))
    text = f'func.func @f(%x: {X}) -> {X} {{\n%0 = "ttir.linear"({names}) : ({types}) -> {X}\nreturn %0 : {X}\n}}'
    with new_context(), ir.Location.unknown():
        module = parse(text)
        (function,) = functions(module)
        linear = views.Linear(body(function)[0])
        assert linear.b == function.arguments[0]
        assert (linear.bias is None) == (biases == 0)
