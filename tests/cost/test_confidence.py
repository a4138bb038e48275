"""What a prediction says about itself."""

from dataclasses import replace

import pytest

from tests.cost.examples import GRID, placed, placed_matmul, real
from ttstack.cost import confidence, predict
from ttstack.cost.confidence import error_of_sum
from ttstack.cost.measured_class import measured_class, measured_keys
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout, MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc, load
from ttstack.system_desc.calibration import UNMEASURED

DRAM = Layout(DType.BF16)


def said(device_op: DeviceOp, chip: ChipDesc) -> tuple[str, bool]:
    found = confidence(device_op, predict(device_op, chip), chip)
    return found.group, found.extrapolated


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
    assert said(cast, chip)[0] == "moves"
    assert said(exp, chip) == ("elementwise", False)


@pytest.mark.parametrize(
    ("mnemonic", "measured"),
    [
        ("softmax", "softmax"),
        ("layer_norm", "norm"),
        ("add", "binary_elementwise"),
        ("conv2d", "convolution"),
        ("concat", "concat"),
        ("all_gather", "collective"),
        ("update_cache", "caches"),
    ],
)
def test_an_op_belongs_to_the_class_of_its_kernel(mnemonic: str, measured: str, chip: ChipDesc) -> None:
    assert measured_class(placed(mnemonic, chip, 16)) == measured


def test_of_what_was_not_measured_the_spread_elsewhere_is_stated(chip: ChipDesc) -> None:
    device_op = placed("quantize", chip, 16)
    found = confidence(device_op, predict(device_op, chip), chip)
    assert found.extrapolated
    assert found.measured == ""
    assert found.beyond == ("no such op was measured on this device",)
    assert found.error == chip.source_errors[UNMEASURED].stated


def test_a_function_whose_cycles_are_an_estimate_is_no_measured_one(chip: ChipDesc) -> None:
    device_op = placed("clamp_tensor", chip, 16)
    assert "clamp_tensor was not measured" in confidence(device_op, predict(device_op, chip), chip).beyond


def test_short_ops_have_an_error_of_their_own(chip: ChipDesc) -> None:
    short, long = (DeviceOp(OPS["exp"].on([real(n, n)], {}), (DRAM,), (DRAM,), GRID) for n in (32, 4096))
    names = [confidence(op, predict(op, chip), chip).measured for op in (short, long)]
    assert names[0].startswith("elementwise_short")
    assert names[1].startswith("elementwise_")
    assert not names[1].startswith("elementwise_short")


def test_the_measurements_that_are_the_most_alike_are_stated(chip: ChipDesc) -> None:
    device_op = DeviceOp(OPS["exp"].on([real(4096, 4096)], {}), (DRAM,), (DRAM,), GRID)
    keys = measured_keys(device_op, predict(device_op, chip))
    known = chip.source_errors["elementwise"]
    for count in range(len(keys)):
        some = {key: known.model_copy(update={"stated": 0.1 * i}) for i, key in enumerate(keys) if i >= count}
        told = chip.model_copy(update={"source_errors": some})
        assert confidence(device_op, predict(device_op, told), told).measured == keys[count]


def test_errors_of_one_class_add_up_and_those_of_others_as_squares() -> None:
    assert error_of_sum([("a", 0.1, 50.0), ("a", 0.1, 50.0)]) == pytest.approx(0.1)
    assert error_of_sum([("a", 0.1, 50.0), ("b", 0.1, 50.0)]) == pytest.approx(0.1 / 2**0.5)
    assert error_of_sum([]) == 0.0


def test_a_device_without_measurements_has_no_errors(chip: ChipDesc) -> None:
    bare = chip.model_copy(update={"calibration": {}, "source_errors": {}})
    found = confidence(placed("exp", bare), predict(placed("exp", bare), bare), bare)
    assert found.error is None
    assert found.extrapolated


def test_an_op_that_is_longer_than_all_measured_says_so(chip: ChipDesc) -> None:
    t = real(65536, 65536)
    device_op = DeviceOp(OPS["exp"].on([t], {}), (DRAM,), (DRAM,), GRID)
    said = confidence(device_op, predict(device_op, chip), chip)
    assert said.beyond == ("longer than all measured",)
    assert said.error == max(chip.source_errors[said.measured].stated, chip.source_errors[UNMEASURED].stated)


@pytest.mark.parametrize("preset", ["wormhole", "blackhole_p150"])
def test_an_interval_is_of_five_rows_at_least(preset: str) -> None:
    """What fewer rows say of one side is chance: both sides have the error of the class."""
    known = load(preset).chips[0].source_errors
    few = {name: said for name, said in known.items() if said.rows < 5}
    assert few
    assert {name: (said.low, said.high) for name, said in few.items()} == {
        name: (-said.stated, said.stated) for name, said in few.items()
    }


def test_a_kernel_is_measured_where_its_class_was_and_nothing_in_it_is_new(chip: ChipDesc) -> None:
    known = {name: said.model_copy(update={"boards": ("n150",)}) for name, said in chip.source_errors.items()}
    told = chip.model_copy(update={"source_errors": known})
    long = DeviceOp(OPS["exp"].on([real(65536, 65536)], {}), (DRAM,), (DRAM,), GRID)
    boards = [confidence(op, predict(op, told), told).boards for op in (long, placed("clamp_tensor", chip, 16))]
    assert boards == [{"n150"}, None]
    assert confidence(placed("quantize", told, 16), predict(placed("quantize", told, 16), told), told).boards is None
