"""Releases of the library whose kernels take other times than today's."""

import pytest

from tests.cost.examples import real
from ttstack.cost import predict
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType
from ttstack.system_desc import load

OLDER = load("wormhole_2024").chips[0]


@pytest.mark.parametrize(
    ("shape", "dtype", "grid", "us"),
    [
        ((4, 384, 3072), DType.BF16, Grid(7, 8), 154.07),
        ((4096, 256), DType.BFP8_B, Grid(8, 8), 31.49),
        ((256, 1024), DType.BFP8_B, Grid(8, 8), 9.39),
    ],
)
def test_gelu_took_what_traces_show(shape: tuple[int, ...], dtype: DType, grid: Grid, us: float) -> None:
    """As measured of DistilBERT in 2024-09 and of Segformer in 2024-10."""
    layout = Layout(dtype, memory_space=MemorySpace.L1)
    op = OPS["gelu"].on([real(*shape).with_dtype(dtype)], {})
    assert predict(DeviceOp(op, (layout,), (layout,), grid), OLDER).total_ns / 1e3 == pytest.approx(us, rel=0.05)
