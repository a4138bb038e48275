"""Group norms as measured of tt-metal on Wormhole: pull request 49219, bf16 in shards, medians before and after it."""

import pytest

from tests.device.test_group_norm import norm, placed
from ttstack.cost import Term, predict
from ttstack.device.layout import Grid
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]


@pytest.mark.parametrize(
    ("pixels", "channels", "groups", "grid", "us"),
    [
        (1024, 320, 16, Grid(8, 1), 228.8),
        (256, 256, 16, Grid(1, 1), 179.6),
        (512, 128, 16, Grid(4, 1), 160.4),
        (512, 1280, 32, Grid(8, 8), 51.4),
    ],
)
def test_time_is_that_measured(pixels: int, channels: int, groups: int, grid: Grid, us: float):
    found = predict(placed(norm(1, pixels, channels, groups), grid), CHIP)
    assert found.total_ns / 1e3 == pytest.approx(us, rel=0.06)


def test_more_cores_that_share_a_group_exchange_for_longer():
    few, many = (predict(placed(norm(1, 4096, 320), Grid(rows, 2)), CHIP) for rows in (2, 8))
    assert few.terms[Term.EXCHANGE] < many.terms[Term.EXCHANGE]
    assert few.terms[Term.COMPUTE] > 2 * many.terms[Term.COMPUTE]
