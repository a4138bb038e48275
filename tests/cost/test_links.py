"""Where cores are on the network, and what moves between them over which links."""

import pytest

from ttstack.cost.data.links import reshard_load, worker_routers
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.types import DType
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]


@pytest.mark.parametrize("grid", [Grid(8, 8), Grid(10, 8), Grid(11, 9)], ids=str)
def test_every_core_has_a_router_of_its_own(grid: Grid):
    """Beyond the rows and columns that are listed, the next one is taken, round the network."""
    routers = worker_routers(CHIP, grid)
    assert len(set(routers)) == grid.cores
    assert all(0 <= x < CHIP.noc.grid[1] and 0 <= y < CHIP.noc.grid[0] for x, y in routers)
    assert set(worker_routers(CHIP, Grid(min(grid.rows, 10), min(grid.cols, 8)))) <= set(routers)


def row(cores: int) -> Layout:
    return Layout(DType.F32, True, MemorySpace.L1, MemoryLayout.WIDTH_SHARDED, Grid(1, cores))


def test_a_single_row_from_one_shard_goes_the_way_of_reads():
    """Columns 1 to 4 to columns 1 to 9, to the right: what the last two send passes from 4 to 6, half of all."""
    assert reshard_load(CHIP, row(4), row(8), (1, 8))[0] == pytest.approx(4 / 8)


def test_a_single_row_from_several_shards_is_halved_over_both_networks():
    """Each target takes one of its two pages over each network, so no port gets more than an eighth of all."""
    assert reshard_load(CHIP, row(8), row(4), (1, 8))[1] == pytest.approx(1 / 8)
