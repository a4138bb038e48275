"""Arrays as dense attributes and back, in every element type."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.every import for_every
from ttstack.dialects.context import new_context
from ttstack.dialects.elements import elements_attribute, read_elements
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

CONTEXT = new_context()
HELD = [d for d in DType if not d.is_block]


@for_every("dtype, shape, period", product(HELD, [(), (1,), (0,), (3,), (2, 3), (20, 10)], [1, 2, 100]))
def test_values_come_back(dtype: DType, shape: tuple[int, ...], period: int):
    values = np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape) % period).astype(dtype.numpy)
    with CONTEXT, ir.Location.unknown():
        found = read_elements(elements_attribute(values, TensorType(shape, dtype)))
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("dtype", [d for d in HELD if d.is_float])
@pytest.mark.parametrize("count", [1, 60], ids=["short text", "long text"])
def test_bits_of_special_numbers_come_back(dtype: DType, count: int):
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1 / 3, 6e-5] * count).astype(dtype.numpy)
    with new_context(), ir.Location.unknown():
        found = read_elements(elements_attribute(values, TensorType(values.shape, dtype)))
    np.testing.assert_array_equal(found.view(np.uint8), values.view(np.uint8))


def test_a_splat_needs_equal_bits():
    values = np.array([0.0, -0.0], np.float32)
    with new_context(), ir.Location.unknown():
        two: Any = elements_attribute(values, TensorType((2,), DType.F32))
        one: Any = elements_attribute(-values[:1], TensorType((1,), DType.F32))
        assert (two.is_splat, one.is_splat) == (False, True)


@pytest.mark.parametrize(("dtype", "value"), [("ui8", 255), ("ui64", 2**64 - 1), ("si8", -128), ("i64", -(2**63))])
def test_extreme_splats(dtype: str, value: int):
    with new_context(), ir.Location.unknown():
        found = read_elements(ir.Attribute.parse(f"dense<{value}> : tensor<4x{dtype}>"))
    assert found.tolist() == [value] * 4


RESOURCE = """module attributes {tt.a = dense_resource<r> : tensor<2xf32>} {}
{-# dialect_resources: {builtin: {r: "0x040000000000803F0000803F"}} #-}"""


def test_resources_are_refused():
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(RESOURCE)
        with pytest.raises(ValueError, match="cannot be read; write them as dense"):
            read_elements(module.operation.attributes["tt.a"])
