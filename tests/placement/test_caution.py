"""Placement knows what it does not know: a price for the uncertainty of predicted times."""

import pytest

import ttstack
from tests.cost.examples import GRID
from tests.placement.test_overrides import TEXT
from ttstack.cost.confidence import OWN_ERROR
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Layout, MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.placement.pricing import Pricing
from ttstack.system_desc import ChipDesc, load
from ttstack.system_desc.calibration import UNMEASURED

DRAM = Layout(DType.BF16)
SHARDS = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, GRID)


def placed(name: str, layout: Layout) -> DeviceOp:
    op = OPS[name].on([TensorType((2048, 64), DType.BF16)], {})
    return DeviceOp(op, (layout,), (layout,), GRID, Spread.ROWS)


@pytest.fixture
def chip() -> ChipDesc:
    return load("wormhole").chips[0]


@pytest.mark.parametrize(("measured", "share"), [(UNMEASURED, 1.0), ("elementwise_short", OWN_ERROR)])
def test_shards_cost_what_their_prediction_may_be_wrong_by(measured: str, share: float, chip: ChipDesc) -> None:
    """Half of the error of their class, and all of the spread elsewhere where the device knows no such class."""
    known = chip.model_copy(update={"calibration": {measured: chip.calibration[measured]}})
    found = Pricing(known, caution=1.0).price(placed("exp", SHARDS))
    assert found.price_ns == pytest.approx(found.ns * (1 + share * chip.calibration[measured].stated))


def test_what_ttnn_does_by_itself_costs_its_time(chip: ChipDesc) -> None:
    found = Pricing(chip, caution=1.0).price(placed("exp", DRAM))
    assert found.price_ns == found.ns


def test_without_caution_the_least_time_is_the_least_price(chip: ChipDesc) -> None:
    found = Pricing(chip, caution=0.0).price(placed("exp", SHARDS))
    assert found.price_ns == found.ns


@pytest.mark.parametrize("caution", [0.0, 1.0])
def test_all_policies_keep_the_same_sum_small(caution: float) -> None:
    """Predicted times and doubt, as reports show them: the better a policy searches, the less."""
    reports = [
        ttstack.compile(TEXT, placement=p, placement_caution=caution).cost() for p in ("optimal", "greedy", "dram")
    ]
    prices = [report.total_ns + caution * report.doubt_ns for report in reports]
    assert prices == sorted(prices)
    assert reports[-1].doubt_ns == 0, "the library's default is free of doubt"
