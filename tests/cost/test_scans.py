"""Running sums and products: what the library does along each dimension."""

import pytest

from tests.cost.examples import real
from ttstack.cost import Cost, predict
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout
from ttstack.ops import OPS
from ttstack.ops.types import DType
from ttstack.system_desc import load

BLACKHOLE = load("blackhole_p150").chips[0]
CORES = Grid(4, 5)


def scan(shape: tuple[int, ...], dim: int, grid: Grid = CORES) -> Cost:
    layout = Layout(DType.UI32)
    op = OPS["cumsum"].on([real(*shape).with_dtype(DType.UI32)], {"dim": dim})
    return predict(DeviceOp(op, (layout,), (layout,), grid), BLACKHOLE)


@pytest.mark.parametrize(
    ("shape", "us"), [((48, 1, 160, 256), 61.6), ((160, 48, 1, 256), 1900.5), ((24, 1, 80, 256), 32.8)]
)
def test_leading_dimensions_are_added_up_in_whole_tiles(shape: tuple[int, ...], us: float) -> None:
    """Compare with times on 20 cores of a p150 in 2025; one tile, which the figure is from, counts its transposes too."""
    assert us < scan(shape, 0).total_ns / 1e3 < 1.8 * us


def test_rows_and_columns_become_tiles_before_they_are_added_up() -> None:
    """Steps within tiles take 32 times as long as steps from tile to tile."""
    within, across = scan((1, 1, 1024, 640), 2, Grid(1, 20)), scan((32, 1, 32, 640), 0, Grid(1, 20))
    assert within.total_ns > 25 * across.total_ns


def test_the_dimension_before_rows_is_moved_first() -> None:
    first, second = scan((8, 64, 160, 256), 0), scan((64, 8, 160, 256), 1)
    assert second.total_ns > first.total_ns
    assert second.total_ns < 3 * first.total_ns
