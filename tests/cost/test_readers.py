"""What readers wait for, and what DRAM delivers."""

from typing import Any

import pytest

from ttstack.cost import Cost, Term, predict
from ttstack.cost.data.shared_memory import read_cycles
from ttstack.cost.transfers import Stream
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import ChipDesc, load
from ttstack.system_desc.chip_figures import with_figures

CHIP = load("wormhole").chips[0]


def cost(name: str, shapes: list[tuple[int, ...]], dtype: DType = DType.BF16, grid: int = 8, **attributes: Any) -> Cost:
    """What an op on tensors in DRAM costs."""
    op = OPS[name].on([TensorType(shape, dtype) for shape in shapes], attributes)
    layouts = tuple(Layout(dtype) for _ in op.operands)
    return predict(DeviceOp(op, layouts, tuple(Layout(dtype) for _ in op.results), Grid(grid, grid)), CHIP)


def attended(grid: int, users: int, chip: ChipDesc = CHIP) -> Cost:
    query, keys = TensorType((1, users, 8, 128), DType.BF16), TensorType((users, 1, 16384, 128), DType.BFP8_B)
    operands = [query, keys, keys, None, TensorType((users,), DType.SI32)]
    op = OPS["scaled_dot_product_attention_decode"].on(operands, {})
    cached = Layout(DType.BFP8_B)
    layouts = (Layout(DType.BF16), cached, cached, Layout(DType.SI32, tiled=False))
    return predict(DeviceOp(op, layouts, (Layout(DType.BF16),), Grid(grid, grid)), chip)


def test_one_core_waits_for_every_tile_that_it_reduces():
    """As measured: one core of an n300 takes about 510 ns for each of 1,602 tiles, 817 us."""
    found = cost("mean", [(51264, 32)], keep_dim=True, dim_arg=(0,))
    assert found.total_ns == pytest.approx(817e3, rel=0.15)


@pytest.mark.parametrize(("shape", "us"), [((32, 32, 32, 32), 118.6), ((96, 96, 96, 96), 8995)])
def test_dimensions_that_cut_tiles_move_a_row_of_a_face_at_a_time(shape: tuple[int, ...], us: float):
    """As measured on Wormhole for the permutation [0, 2, 3, 1]."""
    assert cost("permute", [shape], permutation=(0, 2, 3, 1)).total_ns == pytest.approx(us * 1e3, rel=0.1)


def test_few_elements_move_in_a_few_microseconds():
    assert cost("reshape", [(8,)], DType.SI32, shape=(8, 1)).total_ns < 5e3


@pytest.mark.parametrize(("columns", "rate"), [(4, 222), (16, 209), (63, 188)])
def test_columns_of_weights_come_faster_where_few_are_awaited_together(columns: int, rate: float):
    """As measured of one-token products on an n150, GB/s: by tiles of a core's columns, two steps along K at a time."""
    reads = [Stream(0.0, dram_bytes=1e9, block_pages=2 * columns)]
    assert 1e9 / read_cycles(reads, CHIP) == pytest.approx(rate, rel=0.06)


def test_small_pages_do_not_come_in_proportion_to_their_bytes():
    """As measured on a p100a: tiles of bfp4_b come at 231 GB/s where those of bf16 come at 363."""
    chip = load("blackhole_p150").chips[0]
    rates = {}
    for dtype in (DType.BF16, DType.BFP4_B):
        reads = [Stream(0.0, dram_bytes=dtype.tile_bytes * 1e6, dram_pages=1e6)]
        rates[dtype] = dtype.tile_bytes * 1e6 / read_cycles(reads, chip)
    assert rates[DType.BFP4_B] / rates[DType.BF16] == pytest.approx(231 / 363, rel=0.15)


def test_keys_of_one_user_are_divided_over_cores():
    one, many = attended(8, users=1), attended(8, users=64)
    assert one.cores == CHIP.attention.max_cores_per_head
    assert many.cores == 64
    assert max(one.total_ns, attended(2, users=1).total_ns) < attended(1, users=1).total_ns, "merging takes turns"


def test_results_of_a_head_are_added_up_in_a_tree():
    """Since tt-metal PR 37004 by pairs, in 4 steps for 16 cores; by one core, one after the other, before."""
    one_by_one = with_figures(CHIP, ("attention.merge_cores",), (64,))
    tails = [attended(8, 1, chip).terms[Term.TAIL] for chip in (CHIP, one_by_one)]
    merge = CHIP.attention.merge_cycles + 4 * CHIP.attention.merge_tile_cycles
    assert tails[1] - tails[0] == pytest.approx(CHIP.cycles_to_ns((15 - 4) * merge))


def test_shards_of_their_own_start_cores_together():
    """As measured on an n150: an add of one tile a core on 64 cores takes 0.57 us."""
    shards = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.WIDTH_SHARDED, Grid(8, 8))
    op = OPS["add"].on([TensorType((32, 2048), DType.BF16)] * 2, {})
    placed = DeviceOp(op, (shards, shards), (shards,), Grid(8, 8), Spread.COLUMNS)
    assert predict(placed, CHIP).total_ns == pytest.approx(567, rel=0.25)


def test_a_row_is_copied_into_all_rows_of_a_tile_by_hand():
    """For each result, whatever the other operand is: measured in traces of DistilBERT and OFT."""
    row, alike = (cost("add", [(1, 4, 384, 3072), other]) for other in ((1, 1, 1, 3072), (1, 4, 384, 3072)))
    by_hand = 4 * 12 * 96 / 64 * DType.BF16.tile_bytes / CHIP.riscv.store_bytes_per_cycle
    assert CHIP.cycles_to_ns(by_hand) < row.terms[Term.DRAM] < CHIP.cycles_to_ns(by_hand) + alike.terms[Term.DRAM]
    assert row.total_ns > alike.total_ns


def test_one_operand_in_dram_is_waited_for_whichever_it_is():
    op = OPS["add"].on([TensorType((256, 256), DType.BF16)] * 2, {})
    l1, dram = Layout(DType.BF16, memory_space=MemorySpace.L1), Layout(DType.BF16)
    times = {predict(DeviceOp(op, pair, (dram,), Grid(2, 2)), CHIP).total_ns for pair in ((l1, dram), (dram, l1))}
    assert len({round(ns) for ns in times}) == 1


@pytest.mark.parametrize(("cores", "us"), [(Grid(1, 1), 119.6), (Grid(5, 5), 146), (Grid(7, 8), 229)])
def test_a_core_that_computes_leaves_memory_to_the_others(cores: Grid, us: float):
    """As measured in 2024 of adds from DRAM to shards of 448x448: on 56 cores DRAM is all that bounds them."""
    t = TensorType((448 * cores.rows, 448 * cores.cols), DType.BF16)
    held = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.BLOCK_SHARDED, cores)
    add = DeviceOp(OPS["add"].on([t, t], {}), (Layout(DType.BF16),) * 2, (held,), cores, spread=Spread.BLOCKS)
    assert predict(add, load("wormhole_2024").chips[0]).total_ns == pytest.approx(us * 1e3, rel=0.16)
