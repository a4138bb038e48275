"""Batches of transactions over the networks: latency by rings, multicasts by their way."""

import pytest

from ttstack.cost.data.links import span_hops
from ttstack.cost.data.multicast import multicast_cycles
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Grid, Layout
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import ChipDesc, load

CHIPS = [load(name).chips[0] for name in ("wormhole", "blackhole_p150")]


@pytest.mark.parametrize(
    ("chip", "along", "both"), [(CHIPS[0], 205, 293), (CHIPS[1], 226, 373)], ids=["wormhole", "blackhole"]
)
def test_a_read_goes_round_the_rings_that_it_uses(chip: ChipDesc, along: float, both: float):
    """As tt-metal's noc_latencies measure: 64 bytes within a column, and between other rows and columns."""
    noc = chip.noc
    for columns, measured in ((False, along), (True, both)):
        latency = noc.latency_cycles(noc.l1_read, rows=True, columns=columns)
        assert noc.batch_cycles(1, 64, noc.l1_read, latency) == pytest.approx(measured, rel=0.03)


def test_the_latency_of_a_kind_is_the_mean_over_all_pairs_of_cores():
    noc = CHIPS[0].noc
    rows, columns = len(noc.worker_rows), len(noc.worker_columns)
    pairs = {
        (False, False): 1,
        (True, False): rows - 1,
        (False, True): columns - 1,
        (True, True): (rows - 1) * (columns - 1),
    }
    total = sum(n * noc.latency_cycles(noc.l1_read, rows=r, columns=c) for (r, c), n in pairs.items())
    assert total / (rows * columns) == pytest.approx(noc.l1_read.latency_cycles)


@pytest.mark.parametrize(("rows", "columns", "cycles"), [(3, 3, 18723), (7, 8, 67883), (8, 1, 36545)])
def test_multicasts_that_are_not_linked_reserve_their_way_each_time(rows: int, columns: int, cycles: float):
    """As measured on Wormhole: 256 multicasts of 64 B, and of 256 B down a column."""
    noc = CHIPS[0].noc
    found = noc.multicast_cycles(256, 64, span_hops(CHIPS[0], rows, columns), linked=False)
    assert found == pytest.approx(cycles, rel=0.08)


def test_linked_multicasts_reserve_it_once():
    noc = CHIPS[0].noc
    far, near = (noc.multicast_cycles(100, 64, hops) for hops in (17, 2))
    assert far - near == pytest.approx(noc.reservation_cycles(15))
    assert noc.multicast_cycles(100, 64, 17) < noc.multicast_cycles(100, 64, 17, linked=False) / 5


def test_hops_count_lines_without_cores():
    """Columns 4 and 5 of Wormhole's cores are on routers 4 and 6; rows 5 and 6 on routers 5 and 7."""
    assert span_hops(CHIPS[0], 1, 5) == 5
    assert span_hops(CHIPS[0], 8, 8) == 16


def test_blocks_that_run_ahead_wait_for_half_of_a_latency():
    """Columns of weights that each core reads, against blocks on a grid: the way is the same where cores are a row."""
    op = OPS["matmul"].on([TensorType((32, 1024), DType.BF16), TensorType((1024, 2048), DType.BF16)], {})
    ops = [
        DeviceOp(op, (Layout(DType.BF16),) * 2, (Layout(DType.BF16),), Grid(1, 8), spread=spread)
        for spread in (Spread.COLUMNS, Spread.BLOCKS)
    ]
    ahead, waiting = (
        multicast_cycles(device_op, device_op.dispatch.inputs[0], 1 << 16, 1, CHIPS[0]) for device_op in ops
    )
    blocks = MatmulBlocks.of(ops[0]).k_blocks
    assert blocks == MatmulBlocks.of(ops[1]).k_blocks
    assert waiting - ahead == pytest.approx(blocks * CHIPS[0].noc.multicast.latency_cycles / 2)
