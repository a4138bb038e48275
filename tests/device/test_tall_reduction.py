"""Tall matrices that are reduced along their rows by two kernels, as `ttnn` 0.81.1 does on a mock device."""

import pytest

from ttstack.cost import predict_calls
from ttstack.cost.prediction import predict
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import circular_buffers
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.reduction_kernels import TallReduction
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
DEVICE = Grid(8, 8)


def reduction(kind: str, shape: tuple[int, ...], dtype: DType = DType.BF16, dim: int = -2) -> DeviceOp:
    op = OPS[kind].on([TensorType(shape, DType.F32)], {"dim_arg": (dim % len(shape),), "keep_dim": True})
    return DeviceOp(op, (Layout(dtype),), (Layout(dtype),), DEVICE)


@pytest.mark.parametrize(
    ("shape", "parts"),
    [
        ((768, 32), 24),
        ((640, 32), 20),
        ((4096, 320), 6),
        ((1, 2, 4096, 320), 3),
        ((4096, 1024), 2),
        ((4096, 40), 32),
        ((4, 784, 128), 4),
    ],
    ids=str,
)
def test_columns_are_divided_among_all_cores(shape: tuple[int, ...], parts: int):
    found = TallReduction.of(reduction("mean", shape), DEVICE)
    assert found is not None
    assert found.parts == parts


@pytest.mark.parametrize("shape", [(608, 32), (4096, 1056), (512, 2048)], ids=str)
def test_short_and_wide_matrices_are_not(shape: tuple[int, ...]):
    assert TallReduction.of(reduction("sum", shape), DEVICE) is None


def test_rows_and_integers_and_shards_are_not():
    assert TallReduction.of(reduction("sum", (4096, 320), dim=-1), DEVICE) is None
    assert TallReduction.of(reduction("sum", (4096, 320), DType.SI32), DEVICE) is None
    sharded = Layout(DType.BF16, memory_space=MemorySpace.L1, memory_layout=MemoryLayout.HEIGHT_SHARDED, grid=DEVICE)
    op = OPS["sum"].on([TensorType((4096, 320), DType.F32)], {"dim_arg": (0,), "keep_dim": True})
    assert TallReduction.of(DeviceOp(op, (sharded,), (Layout(DType.BF16),), DEVICE), DEVICE) is None


@pytest.mark.parametrize(
    ("kind", "dtype", "nbytes"),
    [
        ("sum", DType.BF16, 43008),
        ("mean", DType.BF16, 43008),
        ("max", DType.BF16, 38912),
        ("sum", DType.F32, 36864),
        ("max", DType.F32, 36864),
        ("sum", DType.BFP8_B, 27840),
    ],
)
def test_buffers_are_those_of_both_kernels(kind: str, dtype: DType, nbytes: int):
    assert circular_buffers(reduction(kind, (4096, 320), dtype), CHIP) == nbytes


def test_the_time_is_that_of_both_kernels():
    op = reduction("mean", (4096, 320))
    found = predict_calls(op, CHIP)
    assert found.cores == 60
    assert found.total_ns < predict(op, CHIP).total_ns / 2
    assert found.flops == op.op.flops()
