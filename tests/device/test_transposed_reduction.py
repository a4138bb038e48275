"""Reductions over leading dimensions: buffers and L1 that `ttnn` 0.81.1 shows on a mock n150, and their time."""

import pytest

from tests.device.test_circular_buffers import BF16, BFP8, CHIP, F32, placed
from ttstack.cost.prediction import call_costs, predict_calls
from ttstack.device.footprint import circular_buffers, footprint
from ttstack.device.layout import Layout, MemorySpace
from ttstack.ops.types import DType


@pytest.mark.parametrize(
    ("kind", "shape", "dims", "held", "buffers", "between"),
    [
        ("max", (40, 8, 64, 64), (1,), BF16, 38912, 327680),
        ("mean", (3, 40, 16, 32, 96), (0,), BF16, 38912, None),
        ("min", (16, 640, 1024), (0, 2), BF16, 38912, None),
        ("min", (8, 40, 7, 96), (1, 3), F32, 45056, None),
        ("min", (64, 64, 256), (0,), BFP8, 54272, None),
        ("max", (4, 64, 96), (0,), F32, 20480, 24576),
        ("sum", (2, 3, 40, 50), (0, 1), F32, 24576, 24576),
        ("sum", (3, 64, 96), (0,), BF16, 18432, 0),
    ],
)
def test_kernels_and_what_they_leave_each_other(
    kind: str, shape: tuple[int, ...], dims: tuple[int, ...], held: DType, buffers: int, between: int | None
):
    op = placed(kind, shape, held=held, dim_arg=dims, keep_dim=True)
    assert circular_buffers(op, CHIP) == footprint(op, CHIP) == buffers
    in_l1 = (Layout(held, memory_space=MemorySpace.L1),) * 2
    op = placed(kind, shape, held=held, layouts=in_l1, dim_arg=dims, keep_dim=True)
    assert circular_buffers(op, CHIP) == buffers
    if between is not None:
        assert footprint(op, CHIP) == buffers + between


def test_a_short_dimension_costs_what_rows_of_tiles_do():
    """It is put in the place of rows, reduced, and put back: the tiles in between are eight times as many."""
    op = placed("max", (4, 256, 1024), held=BF16, dim_arg=(0,), keep_dim=True)
    kernels = call_costs(op, CHIP)
    assert [kernel.op.mnemonic for kernel, _ in kernels] == ["permute", "max", "permute"]
    rows = placed("max", (4, 256, 1024), held=BF16, dim_arg=(1,), keep_dim=True)
    assert predict_calls(op, CHIP).total_ns > 4 * predict_calls(rows, CHIP).total_ns
