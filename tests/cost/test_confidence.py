"""What a prediction says about itself."""

from dataclasses import replace

import pytest

from tests.cost.examples import GRID, placed, placed_matmul, real
from ttstack.cost import confidence, predict
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout, MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc, load

DRAM = Layout(DType.BF16)


def said(device_op: DeviceOp, chip: ChipDesc) -> tuple[str, bool]:
    found = confidence(device_op, predict(device_op, chip), chip)
    return found.measured, found.extrapolated


def test_of_what_was_measured(chip: ChipDesc) -> None:
    product = placed_matmul(OPS["matmul"].on([real(1024, 1024)] * 2, {}), (DRAM, DRAM), DRAM, chip)
    shards = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, GRID)
    blocks = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.BLOCK_SHARDED, GRID)
    t = real(2048, 512)
    moved = DeviceOp(OPS["to_layout"].on([t], {}, t), (shards,), (blocks,), GRID)
    exp = DeviceOp(OPS["exp"].on([t], {}), (DRAM,), (DRAM,), GRID)
    assert said(product, chip) == ("matmul", False)
    assert said(moved, chip)[0] == "reshard"
    cast = replace(moved, results=(replace(blocks, dtype=DType.BFP8_B),))
    assert said(cast, chip) == ("interleaved_to_sharded", True)
    assert said(exp, chip) == ("elementwise", False)


@pytest.mark.parametrize(
    ("mnemonic", "measured", "why"),
    [
        ("softmax", "elementwise", "passes over rows"),
        ("pow", "elementwise", "pow was not measured"),
        ("conv2d", "matmul", "a convolution"),
        ("concat", "interleaved_to_sharded", "another move"),
        ("all_gather", "", "no such op was measured on this device"),
    ],
)
def test_of_what_was_not(mnemonic: str, measured: str, why: str, chip: ChipDesc) -> None:
    device_op = placed(mnemonic, chip, 16)
    found = confidence(device_op, predict(device_op, chip), chip)
    assert found.extrapolated
    assert found.measured == measured
    assert why in found.beyond


def test_a_device_without_measurements_has_no_errors() -> None:
    (chip,) = load("blackhole_p150").chips
    found = confidence(placed("exp", chip), predict(placed("exp", chip), chip), chip)
    assert found.error is None
    assert found.extrapolated


def test_an_op_that_is_longer_than_all_measured_says_so(chip: ChipDesc) -> None:
    t = real(65536, 65536)
    device_op = DeviceOp(OPS["exp"].on([t], {}), (DRAM,), (DRAM,), GRID)
    assert confidence(device_op, predict(device_op, chip), chip).beyond == ("longer than all measured",)
