"""Kernels that move data: what measurements of theirs show, and what a core waits for."""

from dataclasses import replace

import pytest

from tests.cost.examples import real
from ttstack.cost import Cost, Term, predict
from ttstack.cost.movement.ends import Ends
from ttstack.cost.movement.kernel import Transfers
from ttstack.cost.movement.pages import move_rows
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc, load

CHIP, OLDER, BLACKHOLE = (load(name).chips[0] for name in ("wormhole", "wormhole_2024", "blackhole_p150"))
ALL = Grid(8, 8)
DRAM, ROWS = Layout(DType.BF16), Layout(DType.BF16, tiled=False)


def spread(cores: Grid, *, tiled: bool = True, dtype: DType = DType.BF16) -> Layout:
    return Layout(dtype, tiled, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, cores)


def relaid(shape: tuple[int, ...], given: Layout, made: Layout, chip: ChipDesc = CHIP, grid: Grid = ALL) -> Cost:
    t = real(*shape)
    return predict(DeviceOp(OPS["to_layout"].on([t], {}, t), (given,), (made,), made.grid or given.grid or grid), chip)


def test_shards_move_within_their_cores_at_the_rate_of_their_memory() -> None:
    """As measured: 133 KB on each of 64 cores in 5.60 us, 131 KB on each of 8 in 5.37 us."""
    wide, few = spread(Grid(8, 8), tiled=False), spread(Grid(1, 8), tiled=False)
    assert relaid((33280, 128), wide, wide).total_ns == pytest.approx(5600, rel=0.1)
    assert relaid((16384, 32), few, few).total_ns == pytest.approx(5370, rel=0.1)


def test_rows_that_do_not_fill_tiles_are_awaited_one_by_one() -> None:
    """As measured on a p150: 383 us for 791 rows of 8 tiles on 20 cores, 25,281 pixels; 47 us for 240 whole ones."""
    cut = relaid((25281, 256), DRAM, ROWS, BLACKHOLE, Grid(4, 5))
    whole = relaid((7680, 256), DRAM, ROWS, BLACKHOLE, Grid(4, 5))
    assert cut.total_ns == pytest.approx(383e3, rel=0.15)
    assert whole.total_ns == pytest.approx(47e3, rel=0.15)


def test_short_pages_take_channels_of_memory_as_writes_do() -> None:
    """As measured of caches in rows of 64: 63.2 us to tiles, and of a quarter of the rows 18.1 back."""
    assert relaid((32, 8, 128, 64), ROWS, DRAM).total_ns == pytest.approx(63.2e3, rel=0.1)
    assert relaid((32, 2, 128, 64), DRAM, ROWS).total_ns == pytest.approx(18.1e3, rel=0.1)


def test_a_row_that_is_put_together_is_read_in_as_many_pieces() -> None:
    """Rows of 256 from rows of 64 take four reads each, those of 64 from rows of 256 one."""

    def read(given: tuple[int, ...], made: tuple[int, ...]) -> Transfers:
        op = OPS["reshape"].on([real(*given)], {"shape": made})
        (thread,) = move_rows(Ends.of(DeviceOp(op, (ROWS,), (ROWS,), ALL)), CHIP).read.threads
        return thread

    wider, narrower = read((4096, 64), (1024, 256)), read((1024, 256), (4096, 64))
    assert (wider.count, wider.size) == (4, 64 * 2)
    assert (narrower.count, narrower.size) == (1, 64 * 2)


def test_a_slice_that_cuts_tiles_takes_longer_than_one_that_does_not() -> None:
    x = real(1024, 1024)
    at = {n: OPS["slice_static"].on([x], {"begins": (n, 0), "ends": (n + 500, 1024), "step": (1, 1)}) for n in (3, 32)}
    cut, whole = (predict(DeviceOp(at[n], (DRAM,), (DRAM,), ALL), CHIP) for n in (3, 32))
    assert cut.total_ns > 1.5 * whole.total_ns


def test_an_older_library_waits_for_each_page_that_it_writes() -> None:
    """As measured: 8 tiles on each of 8 cores took 3.11 us in 2024; in 2026, 1.15 us."""
    shard, l1 = spread(Grid(1, 8)), Layout(DType.BF16, memory_space=MemorySpace.L1)
    then, now = (relaid((256, 256), shard, l1, chip).total_ns for chip in (OLDER, CHIP))
    assert then == pytest.approx(3110, rel=0.15)
    assert now < then / 2


def test_an_older_library_pads_tiles_on_one_core_one_by_one() -> None:
    """As measured in 2024: 29.6 ms for 4,096 tiles of two rows."""
    found = relaid((1, 4096, 2, 32), ROWS, DRAM, OLDER, Grid(1, 1))
    assert found.total_ns == pytest.approx(29.55e6, rel=0.1)


def test_wide_rows_become_tiles_in_squares_and_each_part_of_a_row_is_awaited() -> None:
    """As measured in 2026: 170.3 us on 39 cores, squares of 4x4 of 12x52 tiles, for each of three matrices."""
    found = relaid((1, 3, 384, 1664), ROWS, DRAM)
    assert found.cores == 39
    assert found.total_ns == pytest.approx(170.27e3, rel=0.1)


def test_cores_share_the_width_of_few_rows_that_become_tiles() -> None:
    narrow, wide, high = (relaid(shape, ROWS, DRAM) for shape in ((19, 1024), (19, 8192), (2048, 8192)))
    assert (narrow.cores, high.cores) == (1, 64)
    assert wide.cores == 52
    assert wide.total_ns < 2 * narrow.total_ns
    assert relaid((19, 8192), ROWS, DRAM, OLDER).cores == 1


@pytest.mark.parametrize("kind", [MemoryLayout.WIDTH_SHARDED, MemoryLayout.BLOCK_SHARDED])
def test_shards_that_cut_rows_hold_parts_of_them(kind: MemoryLayout) -> None:
    """Each core fetches its part of each row, so that no byte moves twice and all cores move some."""
    shard = Layout(DType.BF16, False, MemorySpace.L1, kind, ALL)
    sliced = OPS["slice_static"].on([real(512, 4096)], {"begins": (256, 0), "ends": (512, 4096), "step": (1, 1)})
    cut = predict(DeviceOp(sliced, (ROWS,), (shard,), ALL), CHIP)
    relayed, tilized = relaid((256, 4096), ROWS, shard), relaid((256, 4096), shard, replace(shard, tiled=True))
    assert (cut.cores, relayed.cores, tilized.cores) == (64, 64, 64)
    assert cut.dram_bytes == relayed.dram_bytes == 256 * 4096 * 2
    whole = relaid((256, 4096), ROWS, spread(ALL, tiled=False))
    assert relayed.total_ns < 10 * whole.total_ns
    tall = relaid((256, 4096), spread(Grid(8, 1), tiled=False), spread(Grid(8, 1)))
    assert tilized.terms[Term.COMPUTE] == pytest.approx(tall.terms[Term.COMPUTE] / 8)


def test_rows_that_move_alone_cost_as_many_tiles_as_they_lie_in() -> None:
    """As measured on 20 cores of a p150 in 2025: 1.6 ms for 61,440 tiles of a row each, which fill 1,920."""
    t, layout = real(160, 48, 1, 256).with_dtype(DType.UI32), Layout(DType.UI32)
    permuted = OPS["permute"].on([t], {"permutation": (2, 1, 0, 3)})
    found = predict(DeviceOp(permuted, (layout,), (layout,), Grid(4, 5)), BLACKHOLE)
    assert found.total_ns == pytest.approx(1604e3, rel=0.2)


def test_columns_that_become_rows_take_longer_in_dram_than_in_l1() -> None:
    """As measured of (0, 3, 1, 2): 24 to 29 % longer where halves of rows are written to DRAM."""
    permuted = OPS["permute"].on([real(1, 256, 256, 128)], {"permutation": (0, 3, 1, 2)})
    l1 = Layout(DType.BF16, memory_space=MemorySpace.L1)
    there, here = (predict(DeviceOp(permuted, (DRAM,), (made,), ALL), CHIP).total_ns for made in (DRAM, l1))
    assert there > 1.05 * here


def test_whole_pages_in_dram_are_read_and_written_at_one_rate() -> None:
    """As measured: 3,456 tiles sliced in 70.5 us, 6,912 joined in 138 us, by 56 cores."""
    x = real(4, 12, 384, 384)
    cut = OPS["slice_static"].on([x], {"begins": (0,) * 4, "ends": (2, 12, 384, 384), "step": (1,) * 4})
    joined = OPS["concat"].on([real(12, 2, 384, 384)] * 2, {"dim": 1})
    for op, us in ((cut, 70.46), (joined, 137.99)):
        cost = predict(DeviceOp(op, (DRAM,) * len(op.operands), (DRAM,), Grid(7, 8)), CHIP)
        assert cost.total_ns == pytest.approx(us * 1e3, rel=0.1)


@pytest.mark.parametrize(("ragged", "whole", "dim"), [((64, 1000), (64, 1024), 0), ((1000, 64), (1024, 64), 1)])
def test_tiles_are_joined_whole_where_only_the_other_extent_ends_within_one(
    ragged: tuple[int, int], whole: tuple[int, int], dim: int
) -> None:
    """The padding of the other extent stays in its tiles, so that the same pages move."""
    joined = [OPS["concat"].on([real(8, *shape)] * 2, {"dim": dim + 1}) for shape in (ragged, whole)]
    costs = [predict(DeviceOp(op, (DRAM,) * 2, (DRAM,), ALL), CHIP) for op in joined]
    assert costs[0].total_ns == pytest.approx(costs[1].total_ns, rel=0.01)
    assert costs[0].dram_bytes == costs[1].dram_bytes


@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 5), (2, 3, 5)])
def test_tensors_of_every_rank_have_a_time_in_tiles_and_in_rows(shape: tuple[int, ...]) -> None:
    t = real(*shape)
    layouts = (DRAM, ROWS)
    assert all(relaid(shape, given, made).total_ns > 0 for given in layouts for made in layouts)
    turned = OPS["permute"].on([t], {"permutation": tuple(reversed(range(t.rank)))})
    column = OPS["reshape"].on([t], {"shape": (t.size, 1)})
    for op in (turned, column):
        assert all(predict(DeviceOp(op, (kept,), (kept,), ALL), CHIP).total_ns >= 0 for kept in layouts)


def heads(name: str, shape: tuple[int, ...], chip: ChipDesc, grid: Grid = ALL, made: Layout | None = None) -> Cost:
    """Queries, keys and values of twelve heads of 64 split, or heads joined, in blocks in L1 or as said."""
    l1 = Layout(DType.BFP8_B, memory_space=MemorySpace.L1)
    given = replace(l1, memory_layout=MemoryLayout.HEIGHT_SHARDED, grid=grid) if made else l1
    split = name.startswith("split")
    op = OPS[name].on([real(*shape)] + [None] * split, {"num_heads": 12, "transpose_key": False} if split else {})
    return predict(DeviceOp(op, (given,), (made or l1,) * len(op.results), grid), chip)


SPLIT = "split_query_key_value_and_split_heads"


def test_heads_of_an_older_library_go_tile_by_tile_and_row_by_row() -> None:
    """As measured of DistilBERT in 2024: 29.8 us for a row of 72 tiles on each of 48 cores."""
    then, now = (heads(SPLIT, (4, 384, 2304), chip, Grid(6, 8)).total_ns for chip in (OLDER, CHIP))
    assert then == pytest.approx(29.8e3, rel=0.2)
    assert now < 0.8 * then


def test_heads_are_shared_by_heads_where_rows_are_fewer_than_cores() -> None:
    few, many = (heads(SPLIT, (rows, 32, 2304), CHIP) for rows in (63, 64))
    assert few.terms[Term.WAIT] == pytest.approx(heads(SPLIT, (64, 64, 2304), CHIP).terms[Term.WAIT], rel=0.1)
    older = [heads(SPLIT, (rows, 32, 2304), OLDER).total_ns for rows in (63, 64)]
    assert older[0] == pytest.approx(older[1], rel=0.05)
    assert few.total_ns < 1.05 * many.total_ns


def test_heads_of_a_core_are_joined_where_they_lie() -> None:
    """Nothing leaves the cores, so that it takes a fraction of what it takes from pages."""
    grid = Grid(8, 6)
    blocks = Layout(DType.BFP8_B, True, MemorySpace.L1, MemoryLayout.BLOCK_SHARDED, grid)
    own, pages = (heads("concatenate_heads", (8, 12, 384, 64), CHIP, grid, made) for made in (blocks, None))
    assert own.total_ns < pages.total_ns / 4
    assert own.terms[Term.WRITER] == 0
