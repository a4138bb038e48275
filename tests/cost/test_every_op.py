"""Every op has a cost, within what the hardware can do, that grows with the work."""

import math
from dataclasses import replace

import pytest

from tests.cost.examples import GRID, PRICED, placed, real
from tests.every import for_every
from ttstack.cost import FREE, Cost, Term, is_free, predict, roofline
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import footprint
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.loop_nest import TileOp
from ttstack.ops.loop_nests import elementwise
from ttstack.ops.mesh import MeshShard
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc


@for_every("mnemonic", PRICED)
def test_cost_is_finite_and_below_the_peaks(mnemonic: str, chip: ChipDesc) -> None:
    device_op = placed(mnemonic, chip)
    cost = predict(device_op, chip)
    assert all(math.isfinite(t) and t >= 0 for t in cost.terms.values())
    if is_free(device_op):
        return
    assert cost.total_ns >= roofline(device_op, chip)
    assert cost.total_ns >= max(
        cost.terms.get(Term(name), 0.0) for name in ("compute", "unpack", "pack", "dram", "noc")
    )
    assert 0 <= cost.flops_utilisation <= 1
    assert 0 < cost.dram_utilisation <= 1
    by_host = isinstance(device_op.op, MeshShard) or not device_op.operands
    least = 0 if by_host else 1
    assert least <= footprint(device_op, chip) <= chip.l1_usable_bytes


@for_every("mnemonic", PRICED)
def test_more_work_is_never_cheaper(mnemonic: str, chip: ChipDesc) -> None:
    costs = [predict(placed(mnemonic, chip, scale), chip) for scale in (1, 2, 8, 64)]
    times = [cost.total_ns for cost in costs]
    assert times == sorted(times)
    if is_free(placed(mnemonic, chip)):
        return
    assert times[-1] > times[0]
    assert costs[-1].dram_bytes > costs[0].dram_bytes


RESOURCES = (
    "clock.nominal_hz",
    "dram.peak_bytes_per_second",
    "dram.interleaved_read_fraction",
    "dram.interleaved_write_fraction",
    "noc.link_bytes_per_cycle",
    "noc.dram_read.link_fraction",
    "unpack.bytes_per_cycle",
    "pack.bytes_per_cycle",
)


def _halved(part: object, path: list[str]) -> object:
    name, *rest = path
    old = getattr(part, name)
    return part.model_copy(update={name: _halved(old, rest) if rest else old / 2})  # type: ignore[attr-defined]


@pytest.mark.parametrize("resource", RESOURCES)
def test_less_of_a_resource_is_never_faster(resource: str, chip: ChipDesc) -> None:
    weaker = _halved(chip, resource.split("."))
    assert isinstance(weaker, ChipDesc)
    for mnemonic in PRICED:
        device_op = placed(mnemonic, chip, 16)
        assert predict(device_op, weaker).elapsed_ns >= predict(device_op, chip).elapsed_ns, mnemonic


def test_half_the_cores_do_not_compute_faster(chip: ChipDesc) -> None:
    for mnemonic in PRICED:
        device_op = placed(mnemonic, chip, 32)
        if mnemonic in {"matmul", "linear"} or is_free(device_op):
            continue
        fewer = replace(device_op, grid=Grid(GRID.rows, GRID.cols // 2))
        assert predict(fewer, chip).terms[Term.COMPUTE] >= predict(device_op, chip).terms[Term.COMPUTE], mnemonic


def test_a_fused_region_costs_less_than_its_parts(chip: ChipDesc) -> None:
    t, layout = real(1024, 1024), Layout(DType.BF16)
    body = [TileOp("multiply", (0, 0)), TileOp("relu", (2,))]
    fused = OPS["generic"].on([t], {"program": elementwise([t], t, body)}, t)
    parts = [
        DeviceOp(OPS["multiply"].on([t, t], {}), (layout, layout), (layout,), GRID),
        DeviceOp(OPS["relu"].on([t], {}), (layout,), (layout,), GRID),
    ]
    whole = predict(DeviceOp(fused, (layout,), (layout,), GRID), chip)
    assert 0 < whole.total_ns < sum(predict(part, chip).total_ns for part in parts)


def test_what_launches_nothing_is_free(chip: ChipDesc) -> None:
    layout = Layout(DType.BF16)
    t = real(64, 64)
    view = OPS["reshape"].on([t], {"shape": (2, 32, 64)})
    moves = OPS["reshape"].on([t], {"shape": (128, 32)})
    end = OPS["deallocate"].on([t], {})
    assert predict(DeviceOp(view, (layout,), (layout,), GRID), chip) is FREE
    assert predict(DeviceOp(end, (layout,), (), GRID), chip) is FREE
    assert footprint(DeviceOp(view, (layout,), (layout,), GRID), chip) == 0
    assert predict(DeviceOp(moves, (layout,), (layout,), GRID), chip).total_ns > 0
    l1 = layout.interleave(MemorySpace.L1)
    assert predict(DeviceOp(view, (layout,), (l1,), GRID), chip).total_ns > 0


def test_shards_where_they_are_needed_move_nothing(chip: ChipDesc) -> None:
    t = real(2048, 256)
    shard = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, GRID)
    op = OPS["relu"].on([t], {})
    near = predict(DeviceOp(op, (shard,), (shard,), GRID), chip)
    far = predict(DeviceOp(op, (Layout(DType.BF16),), (shard,), GRID), chip)
    assert near.noc_bytes == near.dram_bytes == 0
    assert far.dram_bytes == Layout(DType.BF16).nbytes(t)
    assert near.total_ns < far.total_ns
    assert footprint(DeviceOp(op, (shard,), (shard,), GRID), chip) == 0


@pytest.mark.parametrize("mnemonic", ["relu", "to_layout"])
def test_shards_on_other_cores_are_fetched(mnemonic: str, chip: ChipDesc) -> None:
    t = real(2048, 256)
    op = OPS[mnemonic].on([t], {}, t)
    shards = (Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, g) for g in (GRID, Grid(4, 8)))
    here, there = (predict(DeviceOp(op, (shard,), (Layout(DType.BF16),), GRID), chip) for shard in shards)
    assert there.noc_bytes == here.noc_bytes + Layout(DType.BF16).nbytes(t)


def test_a_causal_mask_spares_almost_half_of_the_scores(chip: ChipDesc) -> None:
    def cost(*, is_causal: bool) -> Cost:
        q = real(1, 8, 4096, 64)
        op = OPS["scaled_dot_product_attention"].on([q, q, q], {"is_causal": is_causal})
        return predict(replace(placed(op.mnemonic, chip), op=op), chip)

    half, whole = cost(is_causal=True), cost(is_causal=False)
    assert 0.5 < half.terms[Term.COMPUTE] / whole.terms[Term.COMPUTE] < 0.6


@pytest.mark.parametrize("mnemonic", ["permute", "rearrange", "transpose"])
def test_what_moves_data_is_not_free(mnemonic: str, chip: ChipDesc) -> None:
    attributes = {
        "permute": {"permutation": (0, 2, 1, 3)},
        "rearrange": {"pattern": "a b c d -> a c b d"},
        "transpose": {"dim0": 1, "dim1": 2},
    }[mnemonic]
    op = OPS[mnemonic].on([real(1, 128, 32, 64)], attributes)
    device_op = DeviceOp(op, (Layout(DType.BF16),), (Layout(DType.BF16),), GRID)
    assert not is_free(device_op)
    assert predict(device_op, chip).total_ns > 0
    assert footprint(device_op, chip) > 0
