"""Products of windows: what they wait for, as measured of convolutions in a Segformer trace of 2024 on Wormhole."""

from dataclasses import replace

import pytest

from ttstack.cost import Cost, Term, predict
from ttstack.cost.data.windows import copy_cycles, weights_wait_cycles
from ttstack.device.device_op import DeviceOp, Fidelity, Spread
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.matmul.configs import spread_configs
from ttstack.device.program_config import MatmulConfig
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

CHIP, OLDER = (load(name).chips[0] for name in ("wormhole", "wormhole_2024"))
WIDE = Grid(8, 8)


def convolution(side: int, given: int, made: int, rows: int | None = None) -> DeviceOp:
    """A window of 3x3 over rows of an image that 64 cores have, in blocks of some rows of tiles, or of all."""
    image = TensorType((1, 1, side * side, given), DType.BF16)
    flat = {"stride": 1, "padding": 1, "dilation": 1, "groups": 1, "flattened_compat_info": (1, side, side)}
    op = OPS["conv2d"].on([image, TensorType((made, given, 3, 3), DType.BF16)], flat)
    held = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, WIDE)
    weights = Layout(DType.BF16, filters=True)
    base = DeviceOp(op, (held, weights), (held,), WIDE, spread=Spread.ROWS, fidelity=Fidelity.LOFI)
    config = next(c for c in spread_configs(base, CHIP) if isinstance(c, MatmulConfig))
    return replace(base, config=replace(config, out_block_h=rows, out_block_w=None))


def alone(cost: Cost) -> float:
    """Microseconds of the kernel without the one before it."""
    return (cost.total_ns - cost.terms[Term.HALO]) / 1e3


@pytest.mark.parametrize(("side", "channels", "us"), [(64, 256, 137.2), (128, 128, 64.7)])
def test_math_follows_each_slice_of_the_weights(side: int, channels: int, us: float) -> None:
    assert alone(predict(convolution(side, channels, channels), OLDER)) == pytest.approx(us, rel=0.15)


def test_weights_that_stay_come_while_the_first_block_is_computed() -> None:
    """With one block of rows weights are awaited but for what makes tiles; with two but for half of all there is."""
    whole, halves = (convolution(128, 64, 64, rows) for rows in (None, 4))
    late = [weights_wait_cycles(op, 50_000, 40_000, CHIP) for op in (whole, halves)]
    assert late[0] - late[1] == pytest.approx(20_000, rel=0.2)
    assert weights_wait_cycles(halves, 1000, 40_000, CHIP) == 0


def test_two_threads_put_windows_together_where_weights_leave_them_time() -> None:
    op = convolution(128, 64, 64)
    assert copy_cycles(op, 10_000, 1000, CHIP) == 6000
    assert copy_cycles(op, 10_000, 6000, CHIP) == 10_000
    assert copy_cycles(op, 10_000, 1000, OLDER) == 10_000
    assert copy_cycles(convolution(128, 64, 64, 1), 10_000, 1000, CHIP) == 10_000


@pytest.mark.parametrize(("side", "channels", "stride", "us"), [((192, 640), 64, 2, 342.5), ((159, 159), 1, 1, 702.3)])
def test_pools_wait_for_each_read(side: tuple[int, int], channels: int, stride: int, us: float) -> None:
    """As measured on 20 cores of a p150: pixels of one channel are read one by one, those of 64 a row of a window."""
    image = TensorType((1, *side, channels), DType.BF16)
    attributes = {"kernel": 3, "stride": stride, "padding": 1, "dilation": 1, "ceil_mode": False}
    op = OPS["max_pool2d"].on([image], attributes)
    held = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(4, 5))
    placed = DeviceOp(op, (held,), (held,), Grid(4, 5), spread=Spread.ROWS)
    assert alone(predict(placed, load("blackhole_p150").chips[0])) == pytest.approx(us, rel=0.35)
