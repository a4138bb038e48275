"""What is ordered, picked and written at places that only the run knows, at the edges of what that can be."""

from typing import Any

import numpy as np
import pytest

from tests.cpu.native import run_native
from tests.ops.case import Case
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.passes.ttir_to_linalg import table
from ttstack_runtime import kernels

GONE_BEFORE = {"alloc", "dealloc", "ttnn_metal_layout_cast", "tensor_train_decompose", "fourier", "real_fourier"}
"""Ops that say where tensors lie and transforms, which the first passes replace, and one only the compiler executes."""


def run(op: str, *arrays: np.ndarray, results: Any = None, **attributes: Any) -> tuple[int, list[np.ndarray]]:
    """What the code of one op on these operands returns, and what it gives."""
    types = {np.float32: DType.F32, np.int32: DType.I32}
    operands = tuple(TensorType(a.shape, types[a.dtype.type]) for a in arrays)
    absent = len(OPS[op].operand_specs()) - len(arrays)
    with new_context(), ir.Location.unknown():
        return run_native(Case(op, (*operands, *[None] * absent), attributes, results).module(), arrays)


def test_what_has_a_kernel_for_one_device_has_a_lowering():
    with_kernel = {name for name, op in OPS.items() if kernels.find(name) is not None and not op.spans_mesh}
    assert with_kernel - table.mnemonics() == GONE_BEFORE


@pytest.mark.parametrize("descending", [False, True])
def test_equal_elements_keep_their_order_and_nan_is_the_largest(descending: bool):
    x = np.array([[2, np.nan, 1, 2, -0.0, 0.0, np.nan, 1, np.inf, 2, 1]], np.float32)
    types = (TensorType(x.shape, DType.F32), TensorType(x.shape, DType.I32))
    code, (values, order) = run("sort", x, results=types, dim=1, descending=descending)
    wanted = [1, 6, 8, 0, 3, 9, 2, 7, 10, 4, 5] if descending else [4, 5, 2, 7, 10, 0, 3, 9, 8, 1, 6]
    assert code == 0
    np.testing.assert_array_equal(order[0], wanted)
    np.testing.assert_array_equal(values[0], x[0, wanted])


@pytest.mark.parametrize(("kind", "wanted"), [("sum", [7, 2, 12]), ("invalid", [6, 2, 5]), ("max", [6, 2, 5])])
def test_several_values_for_one_place(kind: str, wanted: list[float]):
    x, at = np.array([1, 2, 3], np.float32), np.array([0, 2, 2, 0], np.int32)
    source = np.array([0, 4, 5, 6], np.float32)
    code, (out,) = run("scatter", x, at, source, dim=0, scatter_reduce_type=kind)
    assert code == 0
    np.testing.assert_array_equal(out, wanted)


CACHE, ROWS = np.zeros((2, 1, 4, 2), np.float32), np.ones((1, 2, 1, 2), np.float32)


def test_users_that_are_skipped_and_the_callers_cache_stay():
    code, (out,) = run("paged_update_cache", CACHE, ROWS, np.array([-1, 3], np.int32))
    assert code == 0
    assert not CACHE.any()
    assert (out[1, 0, 3] == 1).all()
    assert out.sum() == 2


@pytest.mark.parametrize("at", [4, 1 << 30])
def test_a_place_outside_of_a_cache_is_a_fault(at: int):
    code, _ = run("paged_update_cache", CACHE, ROWS, np.array([0, at], np.int32))
    assert code > 0


@pytest.mark.parametrize(("offsets", "well"), [([0, 2, 2], True), ([1, 2, 3], False), ([0, 3, 2], False)])
def test_offsets_of_bags_ascend_from_the_first_entry(offsets: list[int], well: bool):
    indices, weights = np.array([0, 1, 2, 1], np.int32), np.arange(6, dtype=np.float32).reshape(3, 2)
    code, (out,) = run("embedding_bag", indices, weights, np.array(offsets, np.int32), mode="max")
    assert (code == 0) == well
    if well:
        np.testing.assert_array_equal(out, [weights[1], [0, 0], weights[2]])
