"""Move the operands and run, or run and move the result: the same, for every op that says how it commutes."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.every import for_every
from tests.ops.case import Case
from tests.ops.moves import index_maps
from tests.ops.strategies import cases
from ttstack.ops import OPS, Op
from ttstack.ops.commute import RESULT, MovedOp, commute
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.index_map import IndexMap
from ttstack.ops.types import DType, TensorType
from ttstack_runtime.evaluate import evaluate

COMMUTING = sorted(
    {name for name, spec in OPS.items() if issubclass(spec, Eltwise) and spec.executable}
    | {"sum", "mean", "max", "min", "softmax", "layer_norm", "rms_norm", "concat", "slice_static", "pad"}
    | {"matmul", "linear", "scaled_dot_product_attention"}
)
"""Ops of which at least some forms commute with moves."""
_ROUNDED = {"f64": 1e-5, "f32": 1e-5, "f16": 4e-3, "bf16": 3e-2}
"""Relative errors of sums in another order, by element type."""


def _types(op: Op) -> list[TensorType]:
    return [*op.operands, op.results[0]]


@for_every("mnemonic", COMMUTING)
@settings(max_examples=12)
@given(data=st.data())
def test_results_are_moved_as_operands_are(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    op = case.op
    if len(op.results) != 1:
        return
    place = data.draw(st.sampled_from([*range(len(op.operands)), RESULT]))
    by = data.draw(index_maps(_types(op)[place].shape))
    if (moved := commute(op, place, by)) is not None:
        maps = (*moved.operands, moved.result)
        assert [dim for dim in maps[place].dims if dim] == [dim for dim in by.dims if dim]
        _assert_same(case, moved)


def _assert_same(case: Case, moved: MovedOp) -> None:
    maps, arrays = iter(moved.operands), case.arrays()
    there = [None if array is None else _moved(array, next(maps)) for array in arrays]
    with np.errstate(all="ignore"):
        (expected,), (found,) = evaluate(case.op, arrays), evaluate(moved.op, there)
    expected, found = np.asarray(_moved(np.asarray(expected), moved.result)), np.asarray(found)
    assert found.shape == expected.shape == moved.op.results[0].shape
    error = 0.0 if isinstance(case.op, Eltwise) else _ROUNDED.get(str(case.op.results[0].dtype), 0.0)
    scale = np.abs(np.nan_to_num(expected.astype(np.float64), posinf=0, neginf=0)).max(initial=0.0)
    np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), error, error * scale)


def _moved(array: np.ndarray, by: IndexMap) -> np.ndarray:
    return by.move(array) if array.ndim else array


T = TensorType


def _op(mnemonic: str, *shapes: Sequence[int], **attributes: object) -> Op:
    return OPS[mnemonic].on([T(tuple(shape), DType.F32) for shape in shapes], attributes)


@pytest.mark.parametrize(
    ("op", "place", "order", "shapes"),
    [
        (_op("add", (4, 32, 64), (32, 64)), 0, (1, 2, 0), [(32, 64, 4), (32, 64, 1)]),
        (_op("sum", (4, 32, 64), keep_dim=False, dim_arg=(1,)), 0, (2, 0, 1), [(64, 4, 32)]),
        (_op("softmax", (4, 32, 64), dimension=-1), 0, (1, 0, 2), [(32, 4, 64)]),
        (_op("concat", (4, 32, 64), (4, 16, 64), dim=1), 1, (1, 0, 2), [(32, 4, 64), (16, 4, 64)]),
        (_op("matmul", (4, 32, 64), (64, 8)), 0, (1, 0, 2), [(32, 4, 64), (64, 8)]),
        (_op("matmul", (4, 3, 32, 64), (4, 3, 64, 8)), RESULT, (1, 0, 2, 3), [(3, 4, 32, 64), (3, 4, 64, 8)]),
        (_op("matmul", (4, 32, 64), (4, 64, 8)), 0, (0, 2, 1), [(4, 64, 32), (4, 64, 8)]),
    ],
    ids=lambda value: value.mnemonic if isinstance(value, Op) else None,
)
def test_operands_that_an_op_takes_instead(op: Op, place: int, order: tuple[int, ...], shapes: list[tuple[int, ...]]):
    by = IndexMap.identity(_types(op)[place].shape).permute(order)
    moved = commute(op, place, by)
    assert moved is not None
    assert [t.shape for t in moved.op.operands] == shapes


@pytest.mark.parametrize(
    ("op", "place", "order"),
    [
        (_op("softmax", (4, 32, 64), dimension=-1), 0, (0, 2, 1)),
        (_op("layer_norm", (4, 32, 64), normalized_shape=(64,)), 0, (2, 0, 1)),
        (_op("matmul", (4, 3, 32, 64), (4, 3, 64, 8)), 0, (0, 2, 1, 3)),
        (_op("add", (4, 32, 64), (32, 64)), 1, (1, 0)),
        (_op("cumsum", (4, 32), dim=1), 0, (1, 0)),
    ],
    ids=["softmax", "norm", "rows as batch", "a broadcast operand alone", "no rule"],
)
def test_moves_that_an_op_does_not_commute_with(op: Op, place: int, order: tuple[int, ...]):
    assert commute(op, place, IndexMap.identity(_types(op)[place].shape).permute(order)) is None


def test_a_joined_dimension_is_not_broadcast_in_part():
    joined = IndexMap.identity((4, 32, 64)).reshape((128, 64))
    assert joined is not None
    assert commute(_op("add", (4, 32, 64), (4, 32, 64)), 0, joined) is not None
    assert commute(_op("add", (4, 32, 64), (32, 64)), 0, joined) is None
