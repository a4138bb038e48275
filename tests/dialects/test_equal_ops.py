"""Equal ops are asked once while a module is worked on; what differs in anything that is looked at is asked itself."""

import pytest

from ttstack.dialects.base import definition_of
from ttstack.dialects.context import new_context
from ttstack.dialects.equal_ops import shared_answers
from ttstack.mlir import ir
from ttstack.passes.functions import body, functions

T = "tensor<4x32xf32>"
SUMS = f"""func.func @f(%a: {T}) -> {T} {{
  %0 = "ttir.sum"(%a) {{dim_arg = [1 : i32], keep_dim = true}} : ({T}) -> tensor<4x1xf32>
  %1 = "ttir.sum"(%a) {{dim_arg = [1 : i32], keep_dim = true}} : ({T}) -> tensor<4x1xf32>
  %2 = "ttir.sum"(%a) {{dim_arg = [0 : i32], keep_dim = true}} : ({T}) -> tensor<1x32xf32>
  return %a : {T}
}}"""


def bags(last: int) -> str:
    return f"""
  %o{last} = "ttir.constant"() {{value = dense<[0, {last}]> : tensor<2xi32>}} : () -> tensor<2xi32>
  %b{last} = "ttir.embedding_bag"(%i, %t, %o{last}) {{operandSegmentSizes = array<i32: 1, 1, 1, 0>}}
    : (tensor<6xi32>, {T}, tensor<2xi32>) -> tensor<2x32xf32>"""


def test_equal_ops_have_one_record_inside_the_block() -> None:
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(SUMS)
        (function,) = functions(module)
        ops = [op for op in body(function) if op.name == "ttir.sum"]
        assert definition_of(ops[0]) is not definition_of(ops[0])
        with shared_answers(), shared_answers():
            first, second, other = map(definition_of, ops)
        assert first is second
        assert other.results != first.results
        assert definition_of(ops[0]) is not first


def test_a_wrong_op_is_refused_again_beside_equal_good_ones() -> None:
    with new_context(), ir.Location.unknown(), shared_answers():
        ir.Module.parse(SUMS)
        for _ in range(2):
            with pytest.raises(ir.MLIRError, match="inferred"):
                ir.Module.parse(SUMS.replace("tensor<1x32xf32>", "tensor<1x31xf32>"))


def test_ops_that_look_at_constants_are_asked_each() -> None:
    with new_context(), ir.Location.unknown(), shared_answers():
        arguments = f"%i: tensor<6xi32>, %t: {T}"
        ir.Module.parse(f"func.func @f({arguments}) {{{bags(3)}{bags(5)}\n  return\n}}")
        with pytest.raises(ir.MLIRError, match="offsets"):
            ir.Module.parse(f"func.func @f({arguments}) {{{bags(3)}{bags(7)}\n  return\n}}")
