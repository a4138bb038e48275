"""Matrix products: configurations that fit, and times near published ones."""

from dataclasses import replace
from typing import Any

import pytest

from tests.cost.examples import GRID, placed_matmul
from ttstack.cost import Term, predict
from ttstack.device.device_op import DeviceOp, Fidelity, Spread
from ttstack.device.footprint import footprint
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.matmul.configs import matmul_spreads
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops import OPS
from ttstack.ops.base import Op
from ttstack.ops.types import DType, TensorType
from ttstack.placement.pricing import Pricing
from ttstack.system_desc import ChipDesc, load
from ttstack.system_desc.chip_figures import with_figures

DRAM = Layout(DType.BF16)
BLOCKS = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.BLOCK_SHARDED, GRID)
WIDTHS = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.WIDTH_SHARDED, GRID)
TILE = DType.BF16.tile_bytes


def product(m: int, k: int, n: int, *batch: int, dtype: DType = DType.BF16):
    return OPS["matmul"].on([TensorType((*batch, m, k), dtype), TensorType((*batch, k, n), dtype)], {})


# tt-metal tech_reports/GEMM_FLOPS, n150, host time of traced calls, microseconds.
PUBLISHED = [
    ((512, 512, 512), DType.BF16, Fidelity.HIFI2, True, 14.12),
    ((512, 1024, 2048), DType.BF16, Fidelity.HIFI4, True, 54.88),
    ((1024, 2048, 2048), DType.BFP8_B, Fidelity.LOFI, True, 69.28),
    ((3072, 4096, 4096), DType.BF16, Fidelity.HIFI4, False, 2021.4),
    ((8192, 8192, 8192), DType.BFP8_B, Fidelity.HIFI2, False, 10917.3),
]


@pytest.mark.parametrize(("shape", "dtype", "fidelity", "sharded", "us"), PUBLISHED)
def test_time_is_near_the_published_one(
    shape: tuple[int, int, int],
    dtype: DType,
    fidelity: Fidelity,
    sharded: bool,
    us: float,
    chip: ChipDesc,
) -> None:
    shards = Layout(dtype, True, MemorySpace.L1, MemoryLayout.BLOCK_SHARDED, GRID)
    layout = shards if sharded else Layout(dtype)
    device_op = placed_matmul(product(*shape, dtype=dtype), (layout, Layout(dtype)), layout, chip, fidelity)
    assert predict(device_op, chip).elapsed_ns / 1e3 == pytest.approx(us, rel=0.12)


def test_sums_over_part_of_k_are_packed_as_wide_as_they_are(chip: ChipDesc) -> None:
    """Where Dst holds 32 bits, each step along K packs tiles twice as large, as the last one does."""
    config = MatmulConfig(MatmulProgram.MULTICAST_2D, in0_block_w=1, out_subblock_h=1, out_subblock_w=1)

    def pack(dtype: DType) -> float:
        op = product(256, 1024, 256, dtype=dtype)
        return predict(DeviceOp(op, (DRAM,) * 2, (Layout(dtype),), GRID, config=config), chip).terms[Term.PACK]

    assert pack(DType.F32) == pytest.approx(2 * pack(DType.BF16))


def test_matrices_of_a_batch_are_read_while_others_are_multiplied(chip: ChipDesc) -> None:
    """All of K is one step, and there are two buffers: a core waits for the first of its eight matrices alone."""
    config = MatmulConfig(MatmulProgram.REUSE, 2, 16, 2, 2, 2)
    cost = predict(DeviceOp(product(64, 64, 64, 512), (DRAM,) * 2, (DRAM,), GRID, config=config), chip)
    assert cost.terms[Term.WAIT] < 0.25 * cost.terms[Term.DRAM]


@pytest.mark.parametrize("tiles", [16, 40, 100, 600])
@pytest.mark.parametrize("shape", [(32, 30528, 768), (4096, 4096, 4096), (128, 768, 96, 4), (7, 33, 1001)])
def test_any_product_fits_a_small_budget(shape: tuple[int, ...], tiles: int, chip: ChipDesc) -> None:
    device_op = placed_matmul(product(*shape), (DRAM, DRAM), DRAM, chip, budget=tiles * TILE)
    assert footprint(device_op, chip) <= tiles * TILE
    assert predict(device_op, chip).total_ns > 0


def test_more_l1_is_never_slower(chip: ChipDesc) -> None:
    op = product(2048, 4096, 2048)
    times = [
        predict(placed_matmul(op, (DRAM, DRAM), DRAM, chip, budget=tiles * TILE), chip).total_ns
        for tiles in (16, 64, 256, 640)
    ]
    assert times == sorted(times, reverse=True)


def test_none_where_not_even_the_smallest_blocks_fit(chip: ChipDesc) -> None:
    base, pricing = DeviceOp(product(1024, 1024, 1024), (DRAM, DRAM), (DRAM,), GRID), Pricing(chip)
    ways = (replace(base, spread=spread) for spread in matmul_spreads(base.dispatch))
    least = min(footprint(op, chip) for way in ways for op in pricing.configure(way, [GRID]))
    assert pricing.fastest(base, [GRID], least) is not None
    assert pricing.fastest(base, [GRID], least - 1) is None


def kind(op: Op, operands: list[Layout], result: Layout, chip: ChipDesc) -> MatmulProgram:
    config = placed_matmul(op, (*operands,), result, chip).config
    assert isinstance(config, MatmulConfig)
    return config.type


def test_configuration_follows_the_layouts(chip: ChipDesc) -> None:
    weights = Layout(DType.BF16, True, MemorySpace.DRAM, MemoryLayout.WIDTH_SHARDED, GRID)
    op = product(32, 2048, 4096)
    assert kind(op, [WIDTHS, weights], WIDTHS, chip) == MatmulProgram.DRAM_SHARDED
    square = product(1024, 1024, 1024)
    assert kind(square, [BLOCKS, DRAM], BLOCKS, chip) == MatmulProgram.MULTICAST_2D
    batched = product(128, 64, 128, 12)
    assert kind(batched, [DRAM, DRAM], DRAM, chip) == MatmulProgram.REUSE


def test_readers_of_weights_over_the_banks_multiply_by_them() -> None:
    chip = load("blackhole_p150").chips[0]
    weights = Layout(DType.BF16, True, MemorySpace.DRAM, MemoryLayout.WIDTH_SHARDED, Grid(1, chip.dram.num_channels))
    op = product(32, 4096, 11 * 256)
    placed = placed_matmul(op, (WIDTHS, weights), replace(WIDTHS, grid=Grid(4, 11)), chip, Fidelity.LOFI)
    fast, exact = (
        predict(replace(placed, fidelity=f), chip).terms[Term.COMPUTE] for f in (Fidelity.LOFI, Fidelity.HIFI4)
    )
    filled_up = 128 * 12  # of 11 columns of a bank, in two subblocks of 6
    assert exact - fast == pytest.approx(chip.cycles_to_ns(filled_up * (64 - 16)))


def test_columns_of_the_first_operand_that_lie_in_one_channel_come_at_its_rate() -> None:
    """As measured on p150a boards: ttnn.linear(core_grid) of 102400x256x32 takes 481 us in steps of a tile along K."""
    chip = load("blackhole_p150").chips[0]
    config = MatmulConfig(type=MatmulProgram.MULTICAST_1D, in0_block_w=1, out_block_h=30, out_block_w=1)
    times = {}
    for k in (8, 9):
        op = product(102400, 32 * k, 32)
        op = OPS["matmul"].on([op.operands[0], op.operands[1].with_shape((32 * k, 32))], {})
        placed = DeviceOp(op, (DRAM, DRAM), (DRAM,), Grid(10, 11), Spread.ROWS, Fidelity.HIFI2, config)
        times[k] = predict(placed, chip).total_ns
    assert times[8] == pytest.approx(481e3, rel=0.15)
    assert times[9] < times[8] / 2, "nine pages of a row lie in as many channels as there are"


def test_a_bias_comes_after_the_weights(chip: ChipDesc) -> None:
    """As traced in Segformer: 2.6 us with a bias of a tile on 8 cores, of which 0.9 are its."""
    shards = Layout(DType.BFP8_B, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(1, 8))
    a, b = TensorType((256, 32), DType.BFP8_B), TensorType((32, 32), DType.BFP8_B)
    weights = Layout(DType.BFP8_B)
    bare = DeviceOp(OPS["matmul"].on([a, b], {}), (shards, weights), (shards,), Grid(1, 8), Spread.ROWS)
    op = OPS["linear"].on([a, b, TensorType((1, 32), DType.BFP8_B)], {})
    added = DeviceOp(op, (shards, weights, weights), (shards,), Grid(1, 8), Spread.ROWS)
    assert 700 < predict(added, chip).total_ns - predict(bare, chip).total_ns < 1200


def test_results_are_written_on_the_network_of_the_weights(chip: ChipDesc) -> None:
    op = product(1024, 1024, 1024)
    slower = with_figures(chip, ("dram.product_write_fraction",), (0.1,))
    placed = placed_matmul(op, (DRAM, DRAM), DRAM, chip)
    assert predict(placed, slower).terms[Term.TAIL] > 2 * predict(placed, chip).terms[Term.TAIL]
    batched = placed_matmul(product(128, 64, 128, 12), (DRAM, DRAM), DRAM, chip)
    assert predict(batched, slower) == predict(batched, chip)


def test_subblocks_fit_dst(chip: ChipDesc) -> None:
    for dtype, limit in ((DType.BF16, 8), (DType.F32, 4)):
        layout = Layout(dtype)
        op = product(2048, 1024, 2048, dtype=dtype)
        config = placed_matmul(op, (layout, layout), layout, chip).config
        sizes: Any = config
        assert sizes.out_subblock_h * sizes.out_subblock_w <= limit
        assert sizes.per_core_M % sizes.out_subblock_h == 0
        assert sizes.per_core_N % sizes.out_subblock_w == 0


def test_lower_fidelity_is_not_slower_and_small_products_are_not_compute_bound(chip: ChipDesc) -> None:
    big = product(4096, 4096, 4096)
    times = [
        predict(placed_matmul(big, (DRAM, DRAM), DRAM, chip, fidelity), chip).total_ns
        for fidelity in (Fidelity.LOFI, Fidelity.HIFI2, Fidelity.HIFI3, Fidelity.HIFI4)
    ]
    assert times == sorted(times)
    assert predict(placed_matmul(big, (DRAM, DRAM), DRAM, chip, Fidelity.HIFI4), chip).largest_term == "compute"
    assert predict(placed_matmul(big, (DRAM, DRAM), DRAM, chip, Fidelity.LOFI), chip).largest_term == "unpack"
    thin = product(32, 4096, 4096)
    assert predict(placed_matmul(thin, (DRAM, DRAM), DRAM, chip), chip).largest_term == "dram"
