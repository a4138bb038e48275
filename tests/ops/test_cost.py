"""Every op has a price: there is one, it is a time, and it grows with the shapes."""

import math
from itertools import product

import pytest

from tests.every import for_every
from tests.ops.sized import sized
from ttstack.cost import predict
from ttstack.device.device_op import DeviceOp
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.options.choices import Policy
from ttstack.placement import Graph, Node, PlacementOptions, place
from ttstack.system_desc import ChipDesc, load, presets

EXECUTABLE = sorted(n for n, spec in OPS.items() if spec.executable and spec.family != "generic" and not spec.functions)
CHIP = load("wormhole").chips[0]


def placed(mnemonic: str, n: int, chip: ChipDesc = CHIP) -> DeviceOp:
    """The op alone in a function, all tensors in DRAM."""
    op = sized(mnemonic, n).op
    inputs = tuple(range(len(op.operands)))
    results = tuple(range(len(inputs), len(inputs) + len(op.results)))
    graph = Graph((*op.operands, *op.results), inputs, (Node(op, inputs, results),), results)
    return place(graph, chip, PlacementOptions(placement=Policy.DRAM)).steps[0].device_op


CHIPS = ("wormhole", "blackhole_p150")
"""One of each architecture, for every op; other presets differ from them in figures, for an op of each kind of kernel."""
KINDS = ("relu", "matmul", "softmax", "layer_norm", "sum", "conv2d", "max_pool2d", "embedding", "permute", "concat")
PRICED = [*product(EXECUTABLE, CHIPS), *product(KINDS, sorted({*presets()} - {*CHIPS}))]


@for_every("mnemonic, system", PRICED)
def test_every_op_takes_some_time_on_every_preset(mnemonic: str, system: str):
    chip = load(system).chips[0]
    device_op = placed(mnemonic, 96, chip)
    cost = predict(device_op, chip)
    assert math.isfinite(cost.elapsed_ns)
    assert all(math.isfinite(t) and t >= 0 for t in cost.terms.values())
    assert cost.total_ns > 0
    assert 1 <= cost.cores <= chip.num_cores


@for_every("mnemonic", EXECUTABLE)
def test_time_grows_with_the_shapes(mnemonic: str):
    small, large = (predict(placed(mnemonic, n), CHIP).total_ns for n in (64, 2080))
    assert small < large


@for_every("mnemonic", EXECUTABLE)
def test_work_grows_with_the_shapes(mnemonic: str):
    small, large = (sized(mnemonic, n).op.flops() for n in (64, 512))
    assert small < large or small == large == 0


ROWS, COLUMNS = 48, 80
A = TensorType((ROWS, COLUMNS), DType.BF16)


@pytest.mark.parametrize(
    ("mnemonic", "attributes", "each"),
    [
        ("softmax", {"dimension": 1}, 5),
        ("sum", {"keep_dim": True, "dim_arg": (1,)}, 1),
        ("cumsum", {"dim": 1}, 1),
        ("relu", {}, 1),
        ("permute", {"permutation": (1, 0)}, 0),
    ],
)
def test_work_is_what_users_count(mnemonic: str, attributes: dict[str, object], each: int):
    assert OPS[mnemonic].on([A], attributes).flops() == each * ROWS * COLUMNS
