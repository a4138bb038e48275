"""Shapes whose tiles lie alike, so that a reshape between them is a view, as it is in the library."""

import pytest

from ttstack.device.layout import same_matrix
from ttstack.ops.types import DType, TensorType


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ((), (1, 1), True),
        ((1, 1), (), True),
        ((), (1,), True),
        ((64,), (1, 64), True),
        ((2, 32, 64), (64, 64), True),
        ((2, 16, 64), (32, 64), False),
        ((2, 16, 64), (2, 1, 16, 64), True),
        ((64, 32), (32, 64), False),
        ((1, 64), (64, 1), False),
    ],
)
def test_same_matrix(before: tuple[int, ...], after: tuple[int, ...], same: bool):
    assert same_matrix(TensorType(before, DType.BF16), TensorType(after, DType.BF16)) is same
