"""Lookups in Tensor-Train form through linalg and MLIR's own JIT: the values of the library and of the runtime."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.case import NAME
from tests.ops.strategies import cases
from tests.passes import jit
from ttstack.dialects.context import new_context
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.ops.types import DType
from ttstack.passes.base import parse_pipeline
from ttstack.passes.pipelines import PIPELINES
from ttstack.passes.ttir.tensor_train.to_linalg import ConvertTensorTrainToLinalg
from ttstack_runtime.evaluate import evaluate


@pytest.mark.parametrize("name", ["embedding", "embedding_bag", "reconstruct"])
@settings(max_examples=12)
@given(data=st.data())
def test_the_jit_gives_the_values_of_the_runtime(name: str, data: st.DataObject):
    case = data.draw(cases(f"tensor_train_{name}"))
    (result,) = case.op.results
    (ours,) = evaluate(case.op, case.arrays())
    with new_context(), ir.Location.unknown():
        module = case.module()
        ConvertTensorTrainToLinalg().run(module)
        assert "ttir." not in str(module)
        theirs = jit.run(module, NAME, [a for a in case.arrays() if a is not None], result)
    exact = 1e-5 if result.dtype is DType.F32 else 1e-2
    np.testing.assert_allclose(theirs.astype(float), ours.astype(float), rtol=exact, atol=exact)


_TYPES = "(tensor<3xui32>, tensor<10x1x8xf32>, tensor<10x4x4xf32>) -> tensor<3x8xf32>"
_TRAIN = (
    "{train = #tt.tensor_train<{rows = 99, columns = 8, row_factors = [10, 10], column_factors = [2, 4], "
    "ranks = [1, 4, 1], element = f32}>}"
)
TWICE = f"""func.func @f(%i: tensor<3xui32>, %j: tensor<3xui32>, %a: tensor<10x1x8xf32>, %b: tensor<10x4x4xf32>) -> tensor<3x8xf32> {{
  %0 = "ttir.tensor_train_embedding"(%i, %a, %b) {_TRAIN} : {_TYPES}
  %1 = "ttir.tensor_train_embedding"(%j, %a, %b) {_TRAIN} : {_TYPES}
  %2 = "ttir.add"(%0, %1) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}}"""


def test_equal_lookups_share_a_function():
    with new_context(), ir.Location.unknown():
        module = parse(TWICE)
        parse_pipeline("tensor-train-to-linalg", PIPELINES).run(module)
        assert str(module).count("func.func private @tensor_train_embedding_0") == 1
        assert str(module).count("call @tensor_train_embedding_0") == 2
        assert '"index of a lookup is not a row of its table, tensor<99x8xf32>"' in str(module)
